import type { SessionEvent } from '../state/event.js';
import { ROOT_PATH } from '../data/ids.js';
import type { Interrupt, Subject } from '../data/interrupt.js';
import { isJson, jsonEquals } from '../data/json.js';
import type { RunState } from '../state/state.js';
import { openInterrupts } from '../state/state.js';
import type { CastVote, Vote } from '../question/standing-votes.js';
import { isProposal, agreeing, standingVotes } from '../question/standing-votes.js';
import type { Person, Requester } from '../question/identity.js';
import { isLocalIssuer, maybeSame, voterOf } from '../question/identity.js';
import { neededBy } from '../question/approvers.js';
import type { Actor } from '../data/resolution.js';
import { grantProblem } from './grants.js';
import { isVotedOn, saysWhatToDo, voterProblem } from './voter.js';

// Invariants:
// V3 A decision is in the state only with the people whom its question named: who may decide, whoever asked left out, as
//    many as are needed, and all for the same, as far as the question has them agree. The fold sees to it: no door, store or journal can leave it out.
// V7 What was decided under another law stays decided: a journal is held to the law of whoever wrote it.

/**
 * Current version of the voting rules. Version 2 identifies voters by issuer and subject, and does not let
 * authors vote on their own input.
 */
export const LAW = 2;

type Decided = SessionEvent & { readonly type: 'interrupt-resolved' };
type Cast = SessionEvent & { readonly type: 'vote-cast' };

/**
 * Whether the events, or the events that they were copied from, were written under older voting rules (V7).
 */
function isOfOlderLaw({ writer, isCopied }: RunState): boolean {
  return isCopied === true || (writer !== undefined && (writer.law ?? 1) < LAW);
}

/**
 * Returns the votes that are valid for the next answer. Votes cast under older voting rules must be cast
 * again.
 */
export function votesIn(state: RunState): readonly CastVote[] {
  return isOfOlderLaw(state) ? [] : (state.votes ?? []);
}

/**
 * Returns the reason that a decision lacks required approvers, or `undefined` if it has them. Timeouts have
 * their own rules.
 */
export function quorumProblem(state: RunState, interrupt: Interrupt, decided: Decided): string | undefined {
  const { by, resolution, votes, proposal } = decided;
  // No older law knew reviewers and grants: theirs is the one law for them, in a copied history too.
  if (isOfOlderLaw(state) && by.type !== 'reviewer') return grantProblem(interrupt, decided, state);
  if (by.type === 'clock') return noVotes(votes);
  const why = voterProblem(interrupt, decided, state);
  if (why !== undefined) return why;
  if (isProposal(interrupt, resolution) !== (proposal === true))
    return proposal === true ? 'it proposes nothing' : 'an edit of this call is a proposal, not an approval';
  if (!isVotedOn(interrupt, resolution)) return noVotes(votes);
  const agreed = agreeing(interrupt, standingVotes(state.votes, interrupt.id), resolution);
  const need = neededBy(interrupt.approvers);
  if (agreed.length < need) return `needs ${need} matching votes, has ${agreed.length}`;
  return isJson(votes) && isJson(agreed) && jsonEquals(votes, agreed)
    ? undefined
    : 'its votes differ from the votes cast';
}

function noVotes(votes: Decided['votes']): string | undefined {
  return votes === undefined ? undefined : 'it is not decided by vote';
}

/** Returns the reason that a vote is invalid, or `undefined` if it is valid. */
export function voteProblem(state: RunState, interrupt: Interrupt, cast: Cast): string | undefined {
  if (isOfOlderLaw(state)) return undefined;
  if (!isVotedOn(interrupt, cast.resolution)) return 'it is decided by one answer, not by vote';
  return voterProblem(interrupt, cast, state);
}

/** Returns the state with a vote added. Drops votes on questions that are no longer open. */
export function withVote(
  state: RunState,
  { id, by, resolution, castAt, receipt }: Pick<Cast, 'id' | 'by' | 'resolution' | 'castAt' | 'receipt'>,
): RunState {
  const open = new Set<string>(openInterrupts(state).map((interrupt) => interrupt.id));
  const before = (state.votes ?? []).filter((vote) => open.has(vote.id));
  const vote = { id, by, resolution, castAt, ...(receipt !== undefined && { receipt }) };
  return { ...state, votes: [...before, vote] };
}

/** Returns the state without the votes on a question. */
export function withoutVotes(state: RunState, id: string): RunState {
  if (state.votes === undefined) return state;
  const rest = state.votes.filter((vote) => vote.id !== id);
  return { ...state, votes: rest.length === 0 ? undefined : rest };
}

/**
 * Adds a person to the session's requesters if they created the session, wrote to it or sent it a message.
 * Someone who gave instructions in an answer is recorded separately, until a person writes again.
 */
export function withRequester(state: RunState, event: SessionEvent, answered?: Interrupt): RunState {
  const before: RunState =
    state.advisers !== undefined && isNewTurn(event) ? { ...state, advisers: undefined } : state;
  if (event.type === 'interrupt-resolved') return withAdviser(before, event, answered);
  const by = requesterIn(event);
  if (by?.type !== 'person') return before;
  const requester = requesterOf(by);
  const { requesters = [] } = before;
  const known = requesters.findIndex((one) => isSubject(one, requester));
  const old = requesters[known];
  if (old === undefined) return { ...before, requesters: [...requesters, requester] };
  if (old.byApi === true || requester.byApi !== true) return before;
  return { ...before, requesters: requesters.with(known, { ...old, byApi: true }) };
}

/** Records a person who gave instructions in an answer. Such advisers are not requesters of the session. */
function withAdviser(
  state: RunState,
  { by, resolution }: Decided,
  answered: Interrupt | undefined,
): RunState {
  if (answered === undefined || by.type !== 'person' || !saysWhatToDo(resolution)) return state;
  const [adviser, { advisers = [] }] = [voterOf(by), state];
  return advisers.some((one) => isSubject(one, adviser))
    ? state
    : { ...state, advisers: [...advisers, adviser] };
}

/** Whether someone is a requester of the session. Instructions given in an answer do not count. */
export function hasAsked({ requesters = [] }: Pick<RunState, 'requesters'>, by: Person): boolean {
  return requesters.some((one) => isSubject(one, voterOf(by)));
}

function isSubject(one: Subject, other: Subject): boolean {
  return one.issuer === other.issuer && maybeSame(one, other);
}

function requesterOf(by: Person): Requester {
  const isApi = (by.via === 'web' || by.via === 'ag-ui') && by.id !== undefined;
  return { ...voterOf(by), ...(isApi && !isLocalIssuer(by.id.issuer) && { byApi: true }) };
}

/**
 * Whether a message starts a new turn. Input to an agent inside a workflow node does not, because no person
 * wrote it.
 */
function isNewTurn(event: SessionEvent): boolean {
  const isRoot = event.scope === undefined || event.scope === ROOT_PATH;
  return event.type === 'message-added' && event.message.role === 'user' && isRoot;
}

function requesterIn(event: SessionEvent): Actor | undefined {
  if (event.type === 'session-created' || event.type === 'message-added') return event.by;
  if (event.type !== 'inbox-delivered' || event.item.type !== 'message') return undefined;
  return event.item.event === undefined ? event.item.from : undefined;
}

/** An open question, with its votes, if any. */
export interface OpenQuestion {
  readonly interrupt: Interrupt;
  readonly votes?: readonly Vote[];
}

/** Returns every open question, in source order, with its votes. */
export function openQuestions(state: RunState): readonly OpenQuestion[] {
  return openInterrupts(state).map((interrupt) => {
    const votes = interrupt.approvers === undefined ? [] : standingVotes(votesIn(state), interrupt.id);
    return { interrupt, ...(votes.length > 0 && { votes }) };
  });
}
