import { actorName } from '../data/actor-name.js';
import { stateAt } from './state-at.js';
import { newGraphAnswerProblem } from '../state/check-graph-answer.js';
import type { Interrupt } from '../data/interrupt.js';
import { digestCovers } from '../question/make-interrupt.js';
import type { JsonValue } from '../data/json.js';
import { present } from '../data/json.js';
import type { Answer } from '../data/resolution.js';
import type { SealedAnswer } from '../question/seal.js';
import { placesBehind } from '../question/seal.js';
import { withMemberAt } from '../question/places.js';
import type { RunState } from '../state/state.js';
import { openInterrupt, openInterrupts } from '../state/state.js';
import { voterProblem, isVotedOn } from './voter.js';
import { votesIn } from './guard.js';
import { wayProblem } from '../question/narrow.js';
import { unreadProblem } from '../question/unread.js';
import { schemaProblem, SEALED } from '../data/fits-schema.js';
import { HitlError } from '../data/errors.js';
import type { SessionEvent } from '../state/event.js';
import type { Vote } from '../question/standing-votes.js';
import { isProposal, agreeing, standingVotes } from '../question/standing-votes.js';
import { neededBy } from '../question/approvers.js';
import { validUntil } from '../question/terms.js';

/** The kinds of answer problems. */
type AnswerProblemKind = 'unknown' | 'stale' | 'changed' | 'not-allowed' | 'not-eligible' | 'bad-output';

/** The reason an answer is refused. */
export interface AnswerProblem {
  readonly kind: AnswerProblemKind;
  readonly message: string;
}

/**
 * Returns the reason that an answer is invalid in a state, or `undefined` if it is valid. Used everywhere
 * that answers are accepted.
 */
export function answerProblem(
  state: RunState,
  answer: Pick<Answer, 'id' | 'digest' | 'resolution' | 'by' | 'unread'>,
): AnswerProblem | undefined {
  const interrupt = openInterrupt(state, answer.id);
  if (interrupt === undefined) return notOpen(state, answer.id);
  const what = describeInterrupt(interrupt);
  const problem = interruptProblem(interrupt, answer);
  if (problem !== undefined) return problem;
  const who = voterProblem(interrupt, answer, { ...state, votes: votesIn(state) });
  if (who !== undefined) return { kind: 'not-eligible', message: `${what}: ${who}` };
  if (interrupt.source.type === 'tool') return undefined;
  const frame = stateAt(state, interrupt.path)?.graph;
  const why = frame && newGraphAnswerProblem(frame, interrupt, answer.resolution);
  return why === undefined ? undefined : { kind: 'not-allowed', message: `${what} cannot take this: ${why}` };
}

/**
 * A decision. For a stored decision, `secrets` lists the locations of its secrets. Their placeholders need
 * not match the schema.
 */
type Decided = Pick<Answer, 'digest' | 'resolution' | 'unread'> &
  Partial<Pick<Answer, 'by'>> & { readonly secrets?: readonly string[] };

/**
 * Returns the reason that an answer is invalid for a question, or `undefined` if it is valid. Ignores all
 * other open questions.
 */
export function interruptProblem(
  interrupt: Interrupt,
  { digest, resolution, secrets, unread, by }: Decided,
): AnswerProblem | undefined {
  const what = describeInterrupt(interrupt);
  if (digest !== interrupt.digest)
    return { kind: 'changed', message: `${what} has changed since it was shown` };
  const { answerSchema } = interrupt;
  const other = wayProblem(interrupt, resolution);
  if (other !== undefined)
    return { kind: 'not-allowed', message: `\`${resolution.action}\` does not answer ${what}; ${other}` };
  const hidden = unreadProblem(interrupt, { resolution, ...present({ unread, by }) });
  if (hidden !== undefined) return { kind: 'not-allowed', message: `${what} cannot take this: ${hidden}` };
  if (resolution.action !== 'respond' || answerSchema === undefined) return undefined;
  // What an older version asked was not held to its schema, and its journal is still read.
  if (digestCovers(interrupt) === 'older') return undefined;
  const why = schemaProblem(sealedIn(resolution.output, secrets), answerSchema);
  return why === undefined ? undefined : { kind: 'bad-output', message: `invalid answer to ${what}: ${why}` };
}

function sealedIn(output: JsonValue, secrets: readonly string[] = []): JsonValue {
  return placesBehind('output', secrets).reduce((value, place) => withMemberAt(value, place, SEALED), output);
}

/** Formats an interrupt for an error message: `transfer_money#toolu_1 (i2)`. */
export function describeInterrupt({ source, id, kind }: Interrupt): string {
  return source.type === 'tool' ? `\`${source.name}#${source.ref}\` (${id})` : `${kind} \`${id}\``;
}

function notOpen(state: RunState, id: string): AnswerProblem {
  const before = state.resolved.findLast(({ interrupt }) => interrupt.id === id);
  if (before !== undefined) {
    const { interrupt, resolution, by } = before;
    const what = describeInterrupt(interrupt);
    return {
      kind: 'stale',
      message: `${what} was already answered: ${resolution.action}, by ${actorName(by)}`,
    };
  }
  const open = openInterrupts(state);
  const passed = passedOn(state, id);
  if (passed !== undefined) return { kind: 'stale', message: passed };
  const ids = open.length === 0 ? 'nothing is open' : `open: ${open.map(describeInterrupt).join(', ')}`;
  return { kind: 'unknown', message: `no interrupt \`${id}\`; ${ids}` };
}

/** The timestamps and receipt of an answer. */
export interface Given {
  /** ISO 8601. */
  readonly at: string;
  /**
   * Time at which the answer was given, ISO 8601, if that was earlier. The age of an approval is counted from
   * this time. Default: `at`.
   */
  readonly saidAt?: string | undefined;
  /** Receipt of a posted answer. */
  readonly receipt?: string | undefined;
}

/**
 * Returns the events that record an answer, to be appended together at the question's path: the decision, or
 * one of several required votes. The last required vote is followed by the decision.
 * @throws HitlError BAD_ANSWER for a secret that other approvers would have to approve.
 */
export function answerEvents(
  { answer, secrets }: SealedAnswer,
  state: RunState,
  { at, saidAt = at, receipt }: Given,
): readonly SessionEvent[] {
  const { id, digest, resolution, by, unread } = answer;
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
    ...(unread !== undefined && { unread }),
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

/** Returns the earlier of two times. Another machine's clock may be ahead. */
function earlier(one: string, other: string): string {
  return one < other ? one : other;
}

function unseen(what: string): HitlError {
  return new HitlError(
    'BAD_ANSWER',
    `an answer with a secret cannot be ${what}: no one else can see the secret`,
  );
}

/**
 * If a question was not answered in time and was escalated, returns a message about who is asked instead; otherwise `undefined`.
 */
export function passedOn(state: RunState, id: string): string | undefined {
  const known = [...openInterrupts(state), ...state.resolved.toArray().map(({ interrupt }) => interrupt)];
  const next = lastOf(id, known);
  if (next === undefined) return undefined;
  const to = next.escalated?.to ?? 'somebody else';
  return `interrupt \`${id}\` was not answered in time; it was escalated to ${to} as \`${next.id}\``;
}

/** Returns the last question in a chain of escalations; `undefined` if there is none. */
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
