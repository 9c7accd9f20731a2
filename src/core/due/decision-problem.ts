import { isActor } from '../actor-name.js';
import { interruptProblem } from '../answer/index.js';
import type { SessionEvent } from '../event.js';
import type { Interrupt } from '../interrupt.js';
import { validUntil } from '../plan/index.js';
import { timeOf } from '../text/index.js';
import { clockProblem } from './expiry.js';

/** Says why a decision does not fit the question that is open; `undefined` where it does. Time decides what was said. */
export function decisionProblem(
  interrupt: Interrupt,
  decided: SessionEvent & { type: 'interrupt-resolved' },
): string | undefined {
  const { by, resolvedAt: at, resolution, validUntil: until } = decided;
  if (isActor(by) && by.type === 'clock') return clockProblem(interrupt, decided);
  const why = interruptProblem(interrupt, decided)?.message;
  // Older versions gave a yes no end, and say none.
  if (why !== undefined || until === undefined) return why;
  const due = validUntil(interrupt, { action: resolution.action, by, at });
  const isShorter = due !== undefined && timeOf(until) < timeOf(due); // it was said before it was journaled
  return due === until || isShorter
    ? undefined
    : `the answer counts until ${due ?? 'for ever'}, and not until ${until}`;
}
