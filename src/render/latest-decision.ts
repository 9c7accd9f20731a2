import type { InterruptId, ResolvedInterrupt, RunState, ToolRef } from '../core/index.js';

/** Finds what was decided about an interrupt; `undefined` while nothing was. */
export function decisionOn(id: InterruptId, state: RunState): ResolvedInterrupt | undefined {
  return state.resolved.findLast(({ interrupt }) => interrupt.id === id);
}

/** Finds what was decided last about a call; what its body asked while it ran decided nothing about it. */
export function decisionOnCall(ref: ToolRef, state: RunState): ResolvedInterrupt | undefined {
  return state.resolved.findLast(
    ({ interrupt: { source, atOnce } }) => source.type === 'tool' && source.ref === ref && atOnce !== true,
  );
}
