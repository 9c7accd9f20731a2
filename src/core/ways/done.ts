import type { Interrupt } from '../interrupt.js';
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
