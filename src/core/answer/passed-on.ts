import type { Interrupt } from '../interrupt.js';
import type { RunState } from '../state.js';
import { openInterrupts } from '../state.js';

/** Says who is asked in the place of a question that nobody answered in time; `undefined` where nobody is. */
export function passedOn(state: RunState, id: string): string | undefined {
  const known = [...openInterrupts(state), ...state.resolved.toArray().map(({ interrupt }) => interrupt)];
  const next = lastOf(id, known);
  if (next === undefined) return undefined;
  const to = next.escalated?.to ?? 'somebody else';
  return `interrupt \`${id}\` was not answered in time; ${to} is asked by \`${next.id}\``;
}

/** A question that was passed on more than once stands in its last place. */
function lastOf(id: string, known: readonly Interrupt[]): Interrupt | undefined {
  const next = known.find(({ escalated }) => escalated?.id === id);
  if (next === undefined) return undefined;
  return (
    lastOf(
      next.id,
      known.filter((one) => one !== next),
    ) ?? next
  );
}
