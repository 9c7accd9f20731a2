import { activationId } from './graph/frame.js';
import type { NodePath } from './ids.js';
import type { RunState } from './state.js';

/**
 * The state of what runs at a path: the session's own at `''`, that of an agent, a tool or a graph inside a node at
 * `review@2` or `outer@1/left/inner@1`. `undefined` where nothing runs there now.
 */
export function stateAt(state: RunState, path: NodePath): RunState | undefined {
  let here = state;
  let rest: readonly string[] = path === '' ? [] : path.split('/');
  while (rest[0] !== undefined) {
    const [node, branch = ''] = rest;
    const current = here.graph?.current;
    if (current === undefined || activationId(current) !== node) return undefined;
    const isBranch = branch !== '' && !branch.includes('@');
    const inner = current.frames.get(isBranch ? branch : '');
    if (inner === undefined) return undefined;
    here = inner;
    rest = rest.slice(isBranch ? 2 : 1);
  }
  return here;
}
