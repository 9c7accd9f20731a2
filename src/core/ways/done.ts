import type { Interrupt, InterruptSource } from '../interrupt.js';
import type { Resolution, ResolutionAction } from '../resolution.js';
import type { Done, Facts, ResolutionOf } from './way.js';
import { WAYS } from './ways.js';

const FACTS: Facts = WAYS;

function done<A extends ResolutionAction>(
  action: A,
  resolution: ResolutionOf<A>,
  interrupt: Interrupt,
): Done {
  return FACTS[action].done(resolution, interrupt);
}

/**
 * Says what was decided about an interrupt, in the words that every list, line and screen uses for it. Text in it is
 * not escaped.
 */
export function doneOf(interrupt: Interrupt, resolution: Resolution): Done {
  return done(resolution.action, resolution, interrupt);
}

/**
 * Says what a confirmation needs: approval where the gate in front of a tool asks, else what the tool asks to be
 * confirmed.
 */
export function confirmationWords(source: InterruptSource): string {
  const isApproval = source.type === 'tool' && source.raisedBy === 'approval';
  return isApproval ? 'needs your approval' : 'needs your confirmation';
}
