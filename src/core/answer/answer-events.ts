import { HitlError } from '../errors.js';
import type { SessionEvent } from '../event.js';
import type { SealedAnswer } from '../secret/index.js';
import type { RunState } from '../state.js';
import { openInterrupt } from '../state.js';
import type { Vote } from '../people/index.js';
import { neededBy } from '../people/index.js';
import { agreeing, isVotedOn, standingVotes } from '../votes/index.js';

/** The circumstances of an answer. */
export interface Given {
  /** ISO 8601. */
  readonly at: string;
  /** Names the answer, where it was posted. */
  readonly receipt?: string | undefined;
}

/**
 * The events that make an answer durable, in one append, at the place that asks: the decision, or the vote of one of
 * several people, and behind the last vote that is needed the decision.
 * @throws HitlError BAD_ANSWER for a secret that would be voted on.
 */
export function answerEvents(
  { answer, secrets }: SealedAnswer,
  state: RunState,
  { at, receipt }: Given,
): readonly SessionEvent[] {
  const { id, digest, resolution, by } = answer;
  const interrupt = openInterrupt(state, id);
  const path = interrupt?.path ?? '';
  const scope = path !== '' && { scope: path };
  const posted = receipt !== undefined && { receipt };
  const decided = { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt: at } as const;
  if (interrupt === undefined || !isVotedOn(interrupt, resolution))
    return [{ ...decided, ...(secrets.length > 0 && { secrets }), ...posted, ...scope }];
  if (secrets.length > 0)
    throw new HitlError('BAD_ANSWER', 'an answer with a secret cannot be voted on: nobody can compare it');
  const vote: Vote = { by, resolution, castAt: at, ...posted };
  const cast: SessionEvent = { type: 'vote-cast', id, digest, ...vote, ...scope };
  const votes = agreeing(standingVotes([...(state.votes ?? []), { id, ...vote }], id), resolution);
  return votes.length < neededBy(interrupt.approvers) ? [cast] : [cast, { ...decided, votes, ...scope }];
}
