import { isActor } from '../actor-name.js';
import { interruptProblem } from '../answer/index.js';
import type { SessionEvent } from '../event.js';
import type { Interrupt } from '../interrupt.js';
import { clockProblem } from './expiry.js';

/** Says why a decision does not fit the question that is open; `undefined` where it does. Time decides what was said. */
export function decisionProblem(
  interrupt: Interrupt,
  decided: SessionEvent & { type: 'interrupt-resolved' },
): string | undefined {
  const { by } = decided;
  return isActor(by) && by.type === 'clock'
    ? clockProblem(interrupt, decided)
    : interruptProblem(interrupt, decided)?.message;
}
