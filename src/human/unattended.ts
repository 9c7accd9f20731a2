import type { Actor, AskResult, HumanChannel, Interrupt, Resolution } from '../core/index.js';

/** A channel behind which nobody is: every interrupt stays open (law 6). */
export function createUnattended(why = 'nobody was asked'): HumanChannel {
  return { ask: async () => ({ type: 'left-open', why }) };
}

const NO_HUMAN = 'no human was there';
const DENIED: Actor = { type: 'rule', rule: 'on-interrupt deny' };

/**
 * Denies the first open interrupt, and says to the model that no human was there. A call whose outcome is unknown is not
 * called failed, and a pause stays: it asks for a person.
 */
export function denyFirst(open: readonly Interrupt[]): AskResult {
  for (const { id, digest, kind, allowed } of open) {
    const action = kind === 'confirmation' || kind === 'error' ? 'reject' : 'cancel';
    if (kind !== 'pause' && allowed.includes(action)) {
      const resolution: Resolution = { action, reason: NO_HUMAN };
      return { type: 'answered', answer: { id, digest, resolution, by: DENIED } };
    }
  }
  return { type: 'left-open', why: NO_HUMAN };
}
