import type { GraphFrame, GraphOutline, GateSide, OutlineEdge, OutlineNode } from '../../core/index.js';
import { FIRST_VERSION, present, HitlError } from '../../core/index.js';
import type { Graph } from './graph-definition.js';

/** Whether a run may continue with the current definition. */
export type Acceptance =
  | { readonly type: 'same' }
  /** The current definition contains everything that it contained when the run started, plus additions. */
  | {
      readonly type: 'adds';
      readonly changes: readonly DefinitionChange[];
      /**
       * The current outline, but with the version that the run started with. Only a person can change the
       * version.
       */
      readonly outline: GraphOutline;
    }
  | { readonly type: 'refused'; readonly why: string; readonly changes: readonly DefinitionChange[] };

/**
 * Decides whether a run may continue with a definition. The definition must have the run's version or accept
 * it, and nothing may have been removed or changed. A session without an outline is compared by fingerprint.
 */
export function acceptance(frame: GraphFrame, graph: Graph): Acceptance {
  const { outline: kept, name } = frame;
  const { outline: now, accepts = [] } = graph;
  const changes = kept === undefined || now === undefined ? [] : outlineChanges(kept, now);
  const [was, is] = [kept?.version ?? FIRST_VERSION, now?.version ?? FIRST_VERSION];
  if (was !== is && !accepts.includes(was)) {
    const others =
      accepts.length === 0
        ? 'which does not accept any other version'
        : `which accepts ${accepts.join(', ')}`;
    const why = `this session runs a different version of graph \`${name}\`: version ${was} instead of version ${is}, ${others}`;
    return { type: 'refused', why, changes };
  }
  if (kept === undefined || now === undefined)
    return frame.hash === graph.hash
      ? { type: 'same' }
      : { type: 'refused', why: `this session runs a different version of graph \`${name}\``, changes };
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
    why: `this session runs a different version of graph \`${name}\`: ${words}`,
    changes,
  };
}

/** A difference between a session's definition and the current one. */
export interface DefinitionChange {
  readonly change: 'added' | 'removed' | 'changed';
  readonly what: 'version' | 'node' | 'edge' | 'end' | 'gate';
  /**
   * The part that changed, named as in the definition: `node legal`, `gate before publish`, `version 2 to 3`.
   */
  readonly thing: string;
}

type Facts = ReadonlyMap<string, string>;

/** Returns the differences between a session's outline and the current one. */
export function outlineChanges(kept: GraphOutline, now: GraphOutline): readonly DefinitionChange[] {
  const [was, is] = [kept.version ?? FIRST_VERSION, now.version ?? FIRST_VERSION];
  const versions: readonly DefinitionChange[] =
    was === is ? [] : [{ change: 'changed', what: 'version', thing: `version ${was} to ${is}` }];
  return [
    ...versions,
    ...changesOf('node', nodesOf(kept), nodesOf(now)),
    ...changesOf('gate', gatesOf(kept), gatesOf(now)),
    ...changesOf('edge', edgesOf(kept), edgesOf(now)),
    ...changesOf('end', endsOf(kept), endsOf(now)),
  ];
}

function changesOf(what: DefinitionChange['what'], kept: Facts, now: Facts): readonly DefinitionChange[] {
  const left = [...kept].flatMap(([thing, fact]): readonly DefinitionChange[] => {
    const is = now.get(thing);
    if (is === fact) return [];
    return is === undefined
      ? [{ change: 'removed', what, thing: withFact(thing, fact) }]
      : [{ change: 'changed', what, thing: `${thing}: ${fact || 'always'} to ${is || 'always'}` }];
  });
  const added = [...now].flatMap(([thing, fact]): readonly DefinitionChange[] =>
    kept.has(thing) ? [] : [{ change: 'added', what, thing: withFact(thing, fact) }],
  );
  return [...left, ...added];
}

function withFact(thing: string, fact: string): string {
  return fact === '' ? thing : `${thing} (${fact})`;
}

function nodesOf({ nodes }: GraphOutline): Facts {
  return new Map(nodes.map(({ name, kind }) => [`node ${name}`, kind]));
}

function gatesOf({ nodes, gates = {} }: GraphOutline): Facts {
  return new Map([
    ...nodes.flatMap((node) => gateFacts(node)),
    ...Object.entries(gates).flatMap(([name, side]) =>
      sidesOf(side).map((one): readonly [string, string] => [`gate ${one} the operation ${name}`, '']),
    ),
  ]);
}

function gateFacts({ name, gate, when }: OutlineNode): readonly (readonly [string, string])[] {
  if (gate === undefined) return [];
  return sidesOf(gate).map((side) => [`gate ${side} ${name}`, when === undefined ? '' : `when ${when}`]);
}

/** Returns the sides of a node at which a gate stops. */
function sidesOf(side: GateSide): readonly ('before' | 'after')[] {
  return side === 'both' ? ['before', 'after'] : [side];
}

function edgesOf({ edges }: GraphOutline): Facts {
  const facts = new Map<string, string>();
  for (const edge of edges) {
    const thing = `edge ${edge.from} → ${edge.to}`;
    // Several edges may lead the same way.
    const count = [...facts.keys()].filter((one) => one === thing || one.startsWith(`${thing} #`)).length;
    facts.set(count === 0 ? thing : `${thing} #${count + 1}`, edgeFact(edge));
  }
  return facts;
}

function edgeFact({ when, priority, weight }: OutlineEdge): string {
  return [
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(weight === undefined ? [] : [`weight ${weight}`]),
  ].join(', ');
}

function endsOf({ ends }: GraphOutline): Facts {
  return new Map(ends.map((name) => [`end ${name}`, '']));
}

/** A graph run and the definition to continue it with. */
interface Meeting {
  readonly frame: GraphFrame;
  readonly graph: Graph;
  readonly path: string;
  readonly run: { readonly runId: string; readonly sessionId?: string };
}

/** Creates the error for a run that cannot continue with a definition. */
export function refusal(
  { why, changes }: Acceptance & { readonly type: 'refused' },
  { frame, graph, path, run }: Meeting,
): HitlError {
  const session = run.sessionId ?? run.runId;
  return new HitlError('BAD_GRAPH', path === '' ? why : `${path}: ${why}`, {
    hint: `run it with the definition that it was started with; or look with \`hitl test-replay <flow> ${session}\`, and move it with \`hitl migrate ${session}\``,
    detail: { session: frame.hash, now: graph.hash, changes: changes.map((one) => ({ ...one })) },
  });
}

/** Returns the error for a run that cannot continue with a definition; `undefined` if it can. */
export function definitionProblem(meeting: Meeting): HitlError | undefined {
  const accepted = acceptance(meeting.frame, meeting.graph);
  return accepted.type === 'refused' ? refusal(accepted, meeting) : undefined;
}
