import type { GraphFrame, GraphOutline } from '../../core/index.js';
import { FIRST_VERSION, present } from '../../core/index.js';
import type { Graph } from '../graph-definition.js';
import type { DefinitionChange } from './changes.js';
import { outlineChanges } from './changes.js';

/** Whether a run may go on with the definition of today. */
export type Acceptance =
  | { readonly type: 'same' }
  /** It has all that the run began with, and more. */
  | {
      readonly type: 'adds';
      readonly changes: readonly DefinitionChange[];
      /** With the version of the run, which only a person moves. */
      readonly outline: GraphOutline;
    }
  | { readonly type: 'refused'; readonly why: string; readonly changes: readonly DefinitionChange[] };

/**
 * Decides whether a run may go on with a definition: one of its version, or of one that it accepts, which takes nothing
 * away. In a session that kept no outline the fingerprint decides.
 */
export function acceptance(frame: GraphFrame, graph: Graph): Acceptance {
  const { outline: kept, name } = frame;
  const { outline: now, accepts = [] } = graph;
  const changes = kept === undefined || now === undefined ? [] : outlineChanges(kept, now);
  const [was, is] = [kept?.version ?? FIRST_VERSION, now?.version ?? FIRST_VERSION];
  if (was !== is && !accepts.includes(was)) {
    const others = accepts.length === 0 ? 'which accepts no other' : `which accepts ${accepts.join(', ')}`;
    const why = `this session runs another version of graph \`${name}\`: version ${was}, and this is version ${is}, ${others}`;
    return { type: 'refused', why, changes };
  }
  if (kept === undefined || now === undefined)
    return frame.hash === graph.hash
      ? { type: 'same' }
      : { type: 'refused', why: `this session runs another version of graph \`${name}\``, changes };
  const others = changes.filter(({ what }) => what !== 'version');
  if (others.length === 0) return { type: 'same' };
  const taken = others.filter(({ change }) => change !== 'added');
  if (taken.length === 0) {
    const { version: _version, ...rest } = now;
    return { type: 'adds', changes: others, outline: { ...rest, ...present({ version: kept.version }) } };
  }
  const words = taken.map(({ change, thing }) => `${thing} was ${change}`).join('; ');
  return {
    type: 'refused',
    why: `this session runs another version of graph \`${name}\`: ${words}`,
    changes,
  };
}
