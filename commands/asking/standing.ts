import type { Call, JsonValue, RunState } from '../../src/core/index.js';
import { membersOf } from '../../src/core/index.js';

/** The outcome of a question so far. */
export type Standing =
  | { readonly status: 'waiting' }
  | { readonly status: 'answered'; readonly answer: JsonValue }
  | { readonly status: 'approved' }
  | { readonly status: 'declined'; readonly reason?: string };

/** Reads what became of the question of a session from its state. */
export function standingOf(state: RunState): Standing {
  const call = callOf(state);
  if (call?.state.status !== 'settled') return { status: 'waiting' };
  const { outcome } = call.state;
  if (outcome.type === 'error') return declined(call, outcome.message);
  if (call.request.name === 'ask_human') return { status: 'answered', answer: outcome.output };
  return membersOf(outcome.output)['approved'] === true
    ? { status: 'approved' }
    : declined(call, 'it did not run');
}

/** The call by which a program asked; `undefined` where its process ended before that. */
export function callOf({ open, entries }: RunState): Call | undefined {
  if (open !== undefined) return open.calls[0];
  return entries.findLast(({ calls }) => calls !== undefined)?.calls?.[0];
}

function declined({ resolved }: Call, otherwise: string): Standing {
  const { resolution } = resolved ?? {};
  if (resolution?.action !== 'reject' && resolution?.action !== 'cancel')
    return { status: 'declined', reason: otherwise };
  const { reason } = resolution;
  return { status: 'declined', ...(reason !== undefined && reason !== '' && { reason }) };
}
