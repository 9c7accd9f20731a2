import { isJson, jsonEquals } from '../json/index.js';
import type { CastVote, Vote } from '../people/index.js';
import { maybeSame, voterOf } from '../people/index.js';
import type { Resolution } from '../resolution.js';

/** The votes about a question that stand: the latest of each subject, in the order in which they were cast. */
export function standingVotes(votes: readonly CastVote[] = [], id: string): readonly Vote[] {
  const own = votes.filter((vote) => vote.id === id);
  return own
    .filter((vote, at) => !own.slice(at + 1).some((later) => isOfOne(later, vote)))
    .map(({ id: _id, ...vote }) => vote);
}

/** Votes are of people: no other one is kept. */
function isOfOne({ by: one }: Vote, { by: other }: Vote): boolean {
  if (one.type !== 'person' || other.type !== 'person') return one.type === other.type;
  return maybeSame(voterOf(one), voterOf(other));
}

/** The votes among those that stand that say the very same. */
export function agreeing(votes: readonly Vote[], resolution: Resolution): readonly Vote[] {
  return votes.filter((vote) => sameResolution(vote.resolution, resolution));
}

function sameResolution(one: Resolution, other: Resolution): boolean {
  return isJson(one) && isJson(other) && jsonEquals(one, other);
}
