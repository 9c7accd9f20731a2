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
  /** ISO 8601: when the answer was given, if earlier. An approval's age starts here. Default: `at`. */
  readonly saidAt?: string | undefined;
  /** Receipt of a posted answer. */
  readonly receipt?: string | undefined;
}

/**
 * Returns the events of an answer, for one append, at the asking path: the decision, or a vote, followed by
 * the decision if it was the last required one.
 * @throws HitlError BAD_ANSWER for a secret that needs further approvers.
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

/** Another machine's clock may be ahead. */
function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function unseen(what: string): HitlError {
  return new HitlError('BAD_ANSWER', `an answer with a secret cannot be ${what}: nobody else can see it`);
}

/** Returns the escalated form of an expired question; `undefined` if there is none. */
export function passedOn(state: RunState, id: string): string | undefined {
  const known = [...openInterrupts(state), ...state.resolved.toArray().map(({ interrupt }) => interrupt)];
  const next = lastOf(id, known);
  if (next === undefined) return undefined;
  const to = next.escalated?.to ?? 'somebody else';
  return `interrupt \`${id}\` was not answered in time; ${to} is asked by \`${next.id}\``;
}

/** Follows repeated escalations to the last question. */
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
