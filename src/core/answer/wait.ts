import type { Interrupt } from '../data/interrupt.js';
import { answerEvents, answerProblem } from './check-answer.js';
import type { SessionEvent } from '../state/event.js';
import type { InboxMessage } from '../state/inbox-item.js';
import { holdsSecret, plainAnswer } from '../question/seal.js';
import type { RunState } from '../state/state.js';
import { openInterrupts } from '../state/state.js';
import { isoTime, timeOf } from '../data/duration.js';
import { isExpired } from './expiry.js';

/** A wait for a timer or an external event rather than for a person. */
export type Wait =
  | { readonly type: 'timer'; /** ISO 8601. */ readonly until: string }
  | {
      readonly type: 'event';
      readonly event: string;
      /** Time at which the run continues without the event, ISO 8601. */
      readonly until?: string;
    };

/**
 * Returns the timer or event that an interrupt waits for; `undefined` for a question. All code uses this
 * function to tell the two apart.
 */
export function waitOf({ source, expiresAt }: Pick<Interrupt, 'source' | 'expiresAt'>): Wait | undefined {
  if (source.type !== 'node' || source.wait === undefined) return undefined;
  if (source.wait === 'timer') return { type: 'timer', until: expiresAt ?? '' };
  return {
    type: 'event',
    event: source.event ?? '',
    ...(expiresAt !== undefined && { until: expiresAt }),
  };
}

/** Whether an interrupt asks a person. If so, it is listed in the inbox and can be answered without an id. */
export function isQuestion(interrupt: Pick<Interrupt, 'source' | 'expiresAt'>): boolean {
  return waitOf(interrupt) === undefined;
}

/** Describes a wait without its end time: `sleeps`, `waits for event paid`. */
export function waitVerb(wait: Wait): string {
  return wait.type === 'timer' ? 'sleeps' : `waits for event ${wait.event}`;
}

// Invariants:
// T4 An event from outside answers one open question of its name, the one that was asked first, and is used up by that. What
//    nothing waits for stays where it is. It counts where it was sent before the time of the question was over.

type Sent = Pick<InboxMessage, 'event' | 'at'>;

/** Finds the interrupt that an external event answers; `undefined` if none is waiting for it. */
export function awaiting(asked: readonly Interrupt[], { event, at }: Sent): Interrupt | undefined {
  if (event === undefined) return undefined;
  return asked.find(
    (interrupt) =>
      interrupt.source.type === 'node' &&
      interrupt.source.event === event.name &&
      !isExpired(interrupt, timeOf(at)),
  );
}

/**
 * Returns the events that apply an external event: its answer, or the reason that it was refused.
 * @param now milliseconds since 1970
 */
export function outsideEffects(state: RunState, message: InboxMessage, now: number): readonly SessionEvent[] {
  const { id, from, event } = message;
  const interrupt = awaiting(openInterrupts(state), message);
  const settled = (why?: string): SessionEvent => ({
    type: 'inbox-settled',
    id,
    outcome: why === undefined ? { type: 'applied' } : { type: 'refused', why },
  });
  if (interrupt === undefined || event === undefined)
    return [settled('no open question is waiting for this event')];
  const { digest } = interrupt;
  const answer = {
    id: interrupt.id,
    digest,
    resolution: { action: 'respond', output: event.data },
    by: from,
  } as const;
  const problem = answerProblem(state, answer);
  if (problem !== undefined) return [settled(problem.message)];
  if (holdsSecret(answer.resolution, { interrupt }))
    return [settled('an outside event cannot provide a secret')];
  return [...answerEvents(plainAnswer(answer, { interrupt }), state, { at: isoTime(now) }), settled()];
}
