import { activationId } from '../state/frame.js';
import type { NodePath } from '../data/ids.js';
import { pathSteps } from './path-steps.js';
import type { RunState } from '../state/state.js';

/**
 * Returns the state at a path: the session's own state at `''`, or the state of the agent, tool or graph
 * inside a node, for example at `review@2` or `outer@1/left/inner@1`. `undefined` if nothing is running
 * there.
 */
export function stateAt(state: RunState, path: NodePath): RunState | undefined {
  let here = state;
  for (const { activation, branch } of pathSteps(path)) {
    const current = here.graph?.current;
    if (current === undefined || activationId(current) !== activation) return undefined;
    const inner = current.frames.get(branch);
    if (inner === undefined) return undefined;
    here = inner;
  }
  return here;
}
