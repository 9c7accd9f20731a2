import type { JsonValue } from '../json/index.js';
import { isJson, isJsonObject, jsonEquals } from '../json/index.js';
import type { ApprovalPolicy, Approvable, CastVote, Vote } from '../people/index.js';
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

/** The votes among those that stand that say the same: all of it, or the member of the answer that the question names. */
export function agreeing(
  { approvers }: Approvable,
  votes: readonly Vote[],
  resolution: Resolution,
): readonly Vote[] {
  const said = weighed(approvers, resolution);
  return votes.filter((vote) => isSame(weighed(approvers, vote.resolution), said));
}

/** True for an answer by which one of those asked decides at once, as the question says. */
export function isVeto({ approvers }: Approvable, resolution: Resolution): boolean {
  const { over, veto } = approvers ?? {};
  if (veto === undefined || resolution.action !== 'respond') return false;
  return (over === undefined ? resolution.output : memberOf(resolution.output, over)) === veto;
}

/** The part of a decision that people must agree in. */
function weighed({ over }: ApprovalPolicy = {}, resolution: Resolution): unknown {
  if (over === undefined || resolution.action !== 'respond') return resolution;
  const member = memberOf(resolution.output, over);
  return member === undefined ? resolution : [over, member];
}

function memberOf(value: JsonValue, name: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return isJson(one) && isJson(other) && jsonEquals(one, other);
}
