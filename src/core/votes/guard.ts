import type { SessionEvent } from '../event.js';
import type { Interrupt } from '../interrupt.js';
import { isJson, jsonEquals } from '../json/index.js';
import type { RunState } from '../state.js';
import { openInterrupts } from '../state.js';
import { neededBy } from '../people/index.js';
import { agreeing, isVotedOn, standingVotes } from './tally.js';
import { subjectOf, voterProblem } from './voter.js';

// Invariants:
// V3 A decision is in the state only with the people whom its question named: who may decide, whoever asked left out, as
//    many as are needed, and all for the very same. The fold sees to it: no door, store or journal can leave it out.

type Decided = SessionEvent & { readonly type: 'interrupt-resolved' };
type Cast = SessionEvent & { readonly type: 'vote-cast' };

/** Says why a decision does not have the people that it needs; `undefined` where it does. Time has its own rules. */
export function quorumProblem(state: RunState, interrupt: Interrupt, decided: Decided): string | undefined {
  const { by, resolution, votes } = decided;
  if (interrupt.approvers === undefined || by.type === 'clock') return noVotes(votes);
  const why = voterProblem(interrupt, decided, state.requesters);
  if (why !== undefined) return why;
  if (!isVotedOn(interrupt, resolution)) return noVotes(votes);
  const agreed = agreeing(standingVotes(state.votes, interrupt.id), resolution);
  const need = neededBy(interrupt.approvers);
  if (agreed.length < need) return `${need} people must say the same, and ${agreed.length} have`;
  return isJson(votes) && isJson(agreed) && jsonEquals(votes, agreed)
    ? undefined
    : 'it names other votes than were cast';
}

function noVotes(votes: Decided['votes']): string | undefined {
  return votes === undefined ? undefined : 'nobody votes on it';
}

/** Says why a vote does not count; `undefined` where it does. */
export function voteProblem(state: RunState, interrupt: Interrupt, cast: Cast): string | undefined {
  if (!isVotedOn(interrupt, cast.resolution)) return 'one answer decides it';
  return voterProblem(interrupt, cast, state.requesters);
}

/** The state with one more vote. Those about questions that are gone are forgotten. */
export function withVote(
  state: RunState,
  { id, by, resolution, castAt, receipt }: Pick<Cast, 'id' | 'by' | 'resolution' | 'castAt' | 'receipt'>,
): RunState {
  const open = new Set<string>(openInterrupts(state).map((interrupt) => interrupt.id));
  const before = (state.votes ?? []).filter((vote) => open.has(vote.id));
  const vote = { id, by, resolution, castAt, ...(receipt !== undefined && { receipt }) };
  return { ...state, votes: [...before, vote] };
}

/** The state without votes about a question. */
export function withoutVotes(state: RunState, id: string): RunState {
  if (state.votes === undefined) return state;
  const rest = state.votes.filter((vote) => vote.id !== id);
  return { ...state, votes: rest.length === 0 ? undefined : rest };
}

/** The state in which whoever asked for something is known: they made the session, spoke to it, or sent it words. */
export function withRequester(state: RunState, event: SessionEvent): RunState {
  const by = requesterIn(event);
  if (by?.type !== 'person') return state;
  const subject = subjectOf(by);
  if (state.requesters?.includes(subject) === true) return state;
  return { ...state, requesters: [...(state.requesters ?? []), subject] };
}

function requesterIn(event: SessionEvent): Decided['by'] | undefined {
  if (event.type === 'session-created' || event.type === 'message-added') return event.by;
  if (event.type !== 'inbox-delivered' || event.item.type !== 'message') return undefined;
  return event.item.event === undefined ? event.item.from : undefined;
}
