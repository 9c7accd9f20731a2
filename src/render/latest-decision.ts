import type { InterruptId, ResolvedInterrupt, RunState, ToolRef } from '../core/index.js';

/** Returns the decision on an interrupt; `undefined` while it is open. */
export function decisionOn(id: InterruptId, state: RunState): ResolvedInterrupt | undefined {
  return state.resolved.findLast(({ interrupt }) => interrupt.id === id);
}

/** Returns the latest decision on a call, ignoring questions that its tool asked while running. */
export function decisionOnCall(ref: ToolRef, state: RunState): ResolvedInterrupt | undefined {
  return state.resolved.findLast(
    ({ interrupt: { source, atOnce } }) => source.type === 'tool' && source.ref === ref && atOnce !== true,
  );
}
