import { answerEvents, answerProblem } from '../answer/index.js';
import type { SessionEvent } from '../event.js';
import type { InboxMessage } from '../inbox/index.js';
import type { Interrupt } from '../interrupt.js';
import { holdsSecret, plainAnswer } from '../secret/index.js';
import type { RunState } from '../state.js';
import { openInterrupts } from '../state.js';
import { isoTime, timeOf } from '../text/index.js';
import { isExpired } from './expiry.js';

// Invariants:
// T4 An event from outside answers one open question of its name, the one that was asked first, and is used up by that. What
//    nothing waits for stays where it is. It counts where it was sent before the time of the question was over.

type Sent = Pick<InboxMessage, 'event' | 'at'>;

/** Finds the question that an event from outside answers; `undefined` where nothing waits for it. */
export function awaiting(asked: readonly Interrupt[], { event, at }: Sent): Interrupt | undefined {
  if (event === undefined) return undefined;
  return asked.find(
    (interrupt) =>
      interrupt.source.type === 'node' &&
      interrupt.source.event === event.name &&
      !isExpired(interrupt, timeOf(at)),
  );
}

/** Gives what comes of an event: the answer, or why it is none. @param now milliseconds since 1970 */
export function outsideEffects(state: RunState, message: InboxMessage, now: number): readonly SessionEvent[] {
  const { id, from, event } = message;
  const interrupt = awaiting(openInterrupts(state), message);
  const settled = (why?: string): SessionEvent => ({
    type: 'inbox-settled',
    id,
    outcome: why === undefined ? { type: 'applied' } : { type: 'refused', why },
  });
  if (interrupt === undefined || event === undefined) return [settled('nothing waits for it any more')];
  const { digest } = interrupt;
  const answer = {
    id: interrupt.id,
    digest,
    resolution: { action: 'respond', output: event.data },
    by: from,
  } as const;
  const problem = answerProblem(state, answer);
  if (problem !== undefined) return [settled(problem.message)];
  if (holdsSecret(answer.resolution, { interrupt })) return [settled('a secret is not taken from outside')];
  return [...answerEvents(plainAnswer(answer, { interrupt }), state, { at: isoTime(now) }), settled()];
}
