import type { JsonValue } from '../data/json.js';
import { isJson, isJsonObject, jsonEquals } from '../data/json.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import type { Approvable } from './approvers.js';
import { maybeSame, voterOf } from './identity.js';
import type { Resolution, Actor } from '../data/resolution.js';
import type { InterruptId } from '../data/ids.js';
import { neededBy } from './approvers.js';

/** A person's vote on a question that needs several votes. */
export interface Vote {
  readonly by: Actor;
  readonly resolution: Resolution;
  /** ISO 8601. */
  readonly castAt: string;
  /** Idempotency key of the submitted answer. */
  readonly receipt?: string;
}

/** A vote and the question that it belongs to. */
export interface CastVote extends Vote {
  readonly id: InterruptId;
}

/** Whether a call needs the approval of someone other than the author of its input. */
export function isFourEyes({ approvers }: Approvable): boolean {
  return neededBy(approvers) > 1 || approvers?.notRequester === true;
}

/** The properties of a question about a call that determine whether an edit is only a proposal. */
interface AskedCall extends Approvable {
  readonly source: { readonly type: string; readonly input?: JsonValue };
  readonly edit?: 'required' | 'refused';
}

/**
 * Whether an edit only proposes an input instead of approving it (V5 of `../answer/voter.ts`). If the
 * question requires an edit, the edit is an answer.
 */
export function isProposal(
  interrupt: AskedCall,
  resolution: Resolution,
): resolution is Resolution & { readonly action: 'restart' } {
  const { source, edit } = interrupt;
  if (resolution.action !== 'restart' || resolution.input === undefined) return false;
  if (source.type !== 'tool' || source.input === undefined) return false;
  if (edit === 'required' || !isFourEyes(interrupt)) return false;
  return !jsonEquals(resolution.input, source.input);
}

/** Returns the latest vote of each voter on a question, in order. */
export function standingVotes(votes: readonly CastVote[] = [], id: string): readonly Vote[] {
  const own = votes.filter((vote) => vote.id === id);
  return own
    .filter((vote, at) => !own.slice(at + 1).some((later) => isOfOne(later, vote)))
    .map(({ id: _id, ...vote }) => vote);
}

/** Whether two votes were cast by the same voter. */
function isOfOne({ by: one }: Vote, { by: other }: Vote): boolean {
  if (one.type !== 'person' || other.type !== 'person') return one.type === other.type;
  return maybeSame(voterOf(one), voterOf(other));
}

/**
 * Returns the votes that agree with a decision: on all of it or, if the question specifies a property, on
 * that property.
 */
export function agreeing(
  { approvers }: Approvable,
  votes: readonly Vote[],
  resolution: Resolution,
): readonly Vote[] {
  const said = weighed(approvers, resolution);
  return votes.filter((vote) => isSame(weighed(approvers, vote.resolution), said));
}

/** Whether an answer is a veto as defined by the question. A veto decides immediately. */
export function isVeto({ approvers }: Approvable, resolution: Resolution): boolean {
  const { over, veto } = approvers ?? {};
  if (veto === undefined || resolution.action !== 'respond') return false;
  return (over === undefined ? resolution.output : memberOf(resolution.output, over)) === veto;
}

/** Returns the part of a decision that people must agree on. */
function weighed({ over }: ApprovalPolicy = {}, resolution: Resolution): unknown {
  if (resolution.action === 'restart') {
    const { note: _note, ...decision } = resolution;
    return decision;
  }
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
