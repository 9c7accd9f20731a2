import { HitlError } from '../data/errors.js';
import type { SessionEvent } from '../state/event.js';
import type { SealedAnswer } from '../question/seal.js';
import type { RunState } from '../state/state.js';
import { openInterrupt, openInterrupts } from '../state/state.js';
import type { Vote } from '../question/standing-votes.js';
import { isProposal, agreeing, standingVotes } from '../question/standing-votes.js';
import { neededBy } from '../question/approvers.js';
import { validUntil } from '../question/terms.js';
import { isVotedOn } from './voter.js';
import { votesIn } from './guard.js';
import type { Interrupt } from '../data/interrupt.js';

/** The circumstances of an answer. */
export interface Given {
  /** ISO 8601. */
  readonly at: string;
  /** ISO 8601: when it was said, where that was earlier. A yes is as old as this. Default: `at`. */
  readonly saidAt?: string | undefined;
  /** Receipt of a posted answer. */
  readonly receipt?: string | undefined;
}

/**
 * The events that make an answer durable, in one append, at the place that asks: the decision, or the vote of one of
 * several people, and behind the last vote that is needed the decision.
 * @throws HitlError BAD_ANSWER for a secret that others would have to agree to.
 */
export function answerEvents(
  { answer, secrets }: SealedAnswer,
  state: RunState,
  { at, saidAt = at, receipt }: Given,
): readonly SessionEvent[] {
  const { id, digest, resolution, by } = answer;
  const interrupt = openInterrupt(state, id);
  const path = interrupt?.path ?? '';
  const scope = path !== '' && { scope: path };
  const posted = receipt !== undefined && { receipt };
  const until =
    interrupt && validUntil(interrupt, { action: resolution.action, by, at: earlier(saidAt, at) });
  const decided = {
    type: 'interrupt-resolved',
    id,
    digest,
    resolution,
    by,
    resolvedAt: at,
    ...(until !== undefined && { validUntil: until }),
  } as const;
  if (interrupt !== undefined && isProposal(interrupt, resolution)) {
    if (secrets.length > 0) throw unseen('proposed');
    return [{ ...decided, proposal: true, ...posted, ...scope }];
  }
  if (interrupt === undefined || !isVotedOn(interrupt, resolution))
    return [{ ...decided, ...(secrets.length > 0 && { secrets }), ...posted, ...scope }];
  if (secrets.length > 0) throw unseen('voted on');
  const vote: Vote = { by, resolution, castAt: at, ...posted };
  const cast: SessionEvent = { type: 'vote-cast', id, digest, ...vote, ...scope };
  const votes = agreeing(interrupt, standingVotes([...votesIn(state), { id, ...vote }], id), resolution);
  return votes.length < neededBy(interrupt.approvers) ? [cast] : [cast, { ...decided, votes, ...scope }];
}

/** A clock of another machine may be ahead of this one. */
function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function unseen(what: string): HitlError {
  return new HitlError('BAD_ANSWER', `an answer with a secret cannot be ${what}: nobody else can see it`);
}

/** Says who is asked in the place of a question that nobody answered in time; `undefined` where nobody is. */
export function passedOn(state: RunState, id: string): string | undefined {
  const known = [...openInterrupts(state), ...state.resolved.toArray().map(({ interrupt }) => interrupt)];
  const next = lastOf(id, known);
  if (next === undefined) return undefined;
  const to = next.escalated?.to ?? 'somebody else';
  return `interrupt \`${id}\` was not answered in time; ${to} is asked by \`${next.id}\``;
}

/** A question that was passed on more than once stands in its last place. */
function lastOf(id: string, known: readonly Interrupt[]): Interrupt | undefined {
  const next = known.find(({ escalated }) => escalated?.id === id);
  if (next === undefined) return undefined;
  return (
    lastOf(
      next.id,
      known.filter((one) => one !== next),
    ) ?? next
  );
}
