import type { InterruptId, ResolvedInterrupt, RunState, ToolRef } from '../core/index.js';

/** What was decided about an interrupt; `undefined` while nothing was. */
export function decisionOn(id: InterruptId, state: RunState): ResolvedInterrupt | undefined {
  return latest(state, ({ interrupt }) => interrupt.id === id);
}

/** What was decided last about a call. */
export function decisionOnCall(ref: ToolRef, state: RunState): ResolvedInterrupt | undefined {
  return latest(state, ({ interrupt: { source } }) => source.type === 'tool' && source.ref === ref);
}

/** The latest answers are the last ones: an event of a batch is near the end. */
function latest(
  { resolved }: RunState,
  isMeant: (one: ResolvedInterrupt) => boolean,
): ResolvedInterrupt | undefined {
  for (let index = resolved.length - 1; index >= 0; index -= 1) {
    const one = resolved.at(index);
    if (one !== undefined && isMeant(one)) return one;
  }
  return undefined;
}
