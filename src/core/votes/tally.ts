import type { Interrupt } from '../interrupt.js';
import { isJson, jsonEquals } from '../json/index.js';
import type { CastVote, Vote } from '../people/index.js';
import { neededBy } from '../people/index.js';
import type { Resolution } from '../resolution.js';
import { isNo, subjectOf } from './voter.js';

/** The votes about a question that stand: the latest of each subject, in the order in which they were cast. */
export function standingVotes(votes: readonly CastVote[] = [], id: string): readonly Vote[] {
  const own = votes.filter((vote) => vote.id === id);
  return own
    .filter((vote, at) => !own.slice(at + 1).some((later) => isOfOne(later, vote)))
    .map(({ id: _id, ...vote }) => vote);
}

function isOfOne(one: Vote, other: Vote): boolean {
  return voterOf(one) === voterOf(other);
}

/** Votes are of people: no other one is kept. */
function voterOf({ by }: Vote): string {
  return by.type === 'person' ? subjectOf(by) : '';
}

/** The votes among those that stand that say the very same: an edited input is another one. */
export function agreeing(votes: readonly Vote[], resolution: Resolution): readonly Vote[] {
  return votes.filter((vote) => sameResolution(vote.resolution, resolution));
}

function sameResolution(one: Resolution, other: Resolution): boolean {
  return isJson(one) && isJson(other) && jsonEquals(one, other);
}

/** True where a decision is one that several people must give. */
export function isVotedOn({ approvers }: Pick<Interrupt, 'approvers'>, resolution: Resolution): boolean {
  return neededBy(approvers) > 1 && !isNo(resolution);
}
