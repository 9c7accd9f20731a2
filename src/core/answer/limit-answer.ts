import type { RunEnd } from '../state/event.js';
import type { Interrupt } from '../data/interrupt.js';
import type { RunState } from '../state/state.js';
import { NOTHING_EXTENDED } from '../state/state.js';
import { limitOf } from '../data/interrupt.js';

/** Returns the end event for a run that stops at a limit that was not extended. */
export function limitEnd(gate: Interrupt): RunEnd & { type: 'limit' } {
  return { type: 'limit', limit: limitOf(gate) };
}

/** Returns the limits after an extension. */
export function extended(state: RunState, gate: Interrupt, by: number): RunState['extended'] {
  const { rounds, costUsd, timeMs, tokens = 0, contextTokens = 0 } = state.extended;
  switch (limitOf(gate)) {
    case 'turns':
      return { ...state.extended, rounds: rounds + by };
    case 'cost':
      return { ...state.extended, costUsd: costUsd + by };
    case 'tokens':
      return { ...state.extended, tokens: tokens + by };
    case 'context':
      return { ...state.extended, contextTokens: contextTokens + by };
    default:
      return { ...state.extended, timeMs: timeMs + by };
  }
}

/**
 * Returns the extensions that apply to the whole session, without those that apply only since the last user
 * message.
 */
export function extendedForSession({ costUsd, tokens }: RunState['extended']): RunState['extended'] {
  return { ...NOTHING_EXTENDED, costUsd, ...(tokens !== undefined && { tokens }) };
}
