import { HitlError } from '../data/errors.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, present } from '../data/json.js';
import { isIssuerKind, plainName } from './identity.js';

/** A question that may require certain approvers. */
export interface Approvable {
  /**
   * Required approvers and how many of them must agree. If set, rules and scripts cannot approve the
   * question. Default: any one person.
   */
  readonly approvers?: ApprovalPolicy;
}

/** Maximum number of approvals that a question can require. */
const MOST_NEEDED = 20;
/** Maximum number of names in an approver policy. */
const MOST_NAMES = 100;

/**
 * Parses an approver policy; returns `undefined` if anyone may approve.
 * @throws HitlError BAD_CONFIG
 */
export function approversOf(given: ApprovalPolicy | undefined): ApprovalPolicy | undefined {
  return given === undefined ? undefined : plainPolicy(standInOf(given));
}

/**
 * Parses the approver policy of an escalation. An explicit `need: 1` is kept here, because missing properties
 * are inherited.
 * @throws HitlError BAD_CONFIG
 */
export function standInOf(given: ApprovalPolicy): ApprovalPolicy {
  const why = approversProblem(given);
  if (why !== undefined)
    throw new HitlError('BAD_CONFIG', why, { hint: "for example: approvers: { need: 2, from: ['@ops'] }" });
  return saidPolicy(given);
}

/**
 * Parses an approver policy into the form that is stored in a question.
 * @throws HitlError BAD_CONFIG
 */
export function keptApprovers({ approvers }: Approvable): Approvable {
  const kept = approversOf(approvers);
  return kept === undefined ? {} : { approvers: kept };
}

/** Returns the reason that an approver policy is invalid, or `undefined` if it is valid. */
export function approversProblem(given: unknown): string | undefined {
  if (!isJsonObject(given)) return '`approvers` must be an object';
  const { need, from, notRequester, issuers, over, veto, ...others } = given;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `unknown property \`${strange}\` of \`approvers\``;
  if (need !== undefined && !(Number.isInteger(need) && Number(need) >= 1 && Number(need) <= MOST_NEEDED))
    return `\`need\` must be 1..${MOST_NEEDED}, got ${JSON.stringify(need)}`;
  if (notRequester !== undefined && typeof notRequester !== 'boolean')
    return '`notRequester` must be true or false';
  if (issuers !== undefined && !isList(issuers, isIssuerName))
    return `\`issuers\` must list 1..${MOST_NAMES} issuers: \`local\`, \`tokens\`, \`slack\`, or a URL such as \`https://id.example.org\``;
  if (over !== undefined && !isMemberName(over)) return '`over` must name a property of the answer';
  if (veto !== undefined && !isVetoValue(veto)) return '`veto` must be a string, a number, true or false';
  if (from === undefined) return undefined;
  if (!isList(from, isListedName))
    return `\`from\` must list 1..${MOST_NAMES} people, or groups such as \`@ops\``;
  const [people, wanted] = [peopleIn(from), Number(need ?? 1)];
  const isShort = !from.some((name) => isGroup(name)) && people < wanted;
  return isShort ? `${wanted} approvers are needed, but \`from\` lists ${people}` : undefined;
}

/**
 * Counts the distinct people in a list of names. Names that differ only in case or Unicode form are counted
 * once.
 */
function peopleIn(names: readonly string[]): number {
  return new Set(names.map((name) => plainName(name).toLowerCase())).size;
}

function isList(
  value: JsonValue,
  fits: (one: JsonValue) => one is string,
): value is readonly (JsonValue & string)[] {
  return isJsonArray(value) && value.length > 0 && value.length <= MOST_NAMES && value.every(fits);
}

/** Maximum length of a name, in characters. */
const NAME_LENGTH = 200;

function isListedName(name: JsonValue): name is string {
  return typeof name === 'string' && /^@?[^\s@,][^\s,]*$/u.test(name) && name.length <= NAME_LENGTH;
}

function isMemberName(name: JsonValue): name is string {
  return typeof name === 'string' && name !== '' && name.length <= NAME_LENGTH;
}

function isVetoValue(value: JsonValue): value is string | number | boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Whether a value is a kind of issuer or a full issuer name. A misspelled kind is invalid. */
function isIssuerName(name: JsonValue): name is string {
  return isListedName(name) && (isIssuerKind(name) || name.includes(':'));
}

/** Whether a name refers to a group. */
export function isGroup(name: string): boolean {
  return name.startsWith('@');
}

/**
 * Removes default values from a policy. Returns `undefined` if nothing remains, for example if the policy is
 * only `need: 1`.
 */
function plainPolicy({ need = 1, ...rest }: ApprovalPolicy): ApprovalPolicy | undefined {
  const plain = { ...(need > 1 && { need }), ...saidPolicy(rest) };
  return Object.keys(plain).length === 0 ? undefined : plain;
}

/** Keeps all specified properties of a policy, and removes duplicate names. */
function saidPolicy({ need, from, notRequester, issuers, over, veto }: ApprovalPolicy): ApprovalPolicy {
  return present({
    need,
    from: from && [...new Set(from)],
    notRequester,
    issuers: issuers && [...new Set(issuers)],
    over,
    veto,
  });
}

/** Returns the number of people who must give the same answer. */
export function neededBy(policy: ApprovalPolicy | undefined): number {
  return policy?.need ?? 1;
}

/** Converts an approver policy to JSON. */
export function approversJson(policy: ApprovalPolicy): JsonObject {
  const { need, from, notRequester, issuers, over, veto } = policy;
  return {
    ...(need !== undefined && { need }),
    ...(from !== undefined && { from: [...from] }),
    ...(notRequester !== undefined && { notRequester }),
    ...(issuers !== undefined && { issuers: [...issuers] }),
    ...(over !== undefined && { over }),
    ...(veto !== undefined && { veto }),
  };
}

/**
 * A policy that no one can meet, used in place of one that cannot be read. It requires more approvers than it
 * lists, so it cannot be met even if someone has the listed name.
 */
export const NOBODY: ApprovalPolicy = { need: MOST_NEEDED, from: ['nobody'] };

/** Whether no one can meet a policy, for example because it lists fewer people than it requires. */
export function isForNobody(policy: ApprovalPolicy): boolean {
  const { from, issuers } = policy;
  if (issuers?.length === 0) return true;
  return from !== undefined && !from.some(isGroup) && peopleIn(from) < neededBy(policy);
}

/**
 * Reads the output of `approversJson`. If it is invalid, no one can approve, because the policy was meant to
 * restrict who may approve.
 */
export function readApprovers(said: JsonValue | undefined): ApprovalPolicy | undefined {
  return said === undefined ? undefined : plainPolicy(readStandIn(said));
}

/** Reads an escalation's approvers from the output of `approversJson`. */
export function readStandIn(said: JsonValue): ApprovalPolicy {
  if (approversProblem(said) !== undefined || !isJsonObject(said)) return NOBODY;
  const { need, from, notRequester, issuers, over, veto } = said;
  return saidPolicy({
    ...(typeof need === 'number' && { need }),
    ...(from !== undefined && isJsonArray(from) && { from: from.filter(isListedName) }),
    ...(typeof notRequester === 'boolean' && { notRequester }),
    ...(issuers !== undefined && isJsonArray(issuers) && { issuers: issuers.filter(isIssuerName) }),
    ...(over !== undefined && isMemberName(over) && { over }),
    ...(veto !== undefined && isVetoValue(veto) && { veto }),
  });
}

/**
 * Returns the approvers after an escalation. Each property carries over unless the escalation replaces it,
 * for example with `notRequester: false`.
 */
export function succeeding(
  before: ApprovalPolicy | undefined,
  said: ApprovalPolicy | undefined,
): ApprovalPolicy | undefined {
  const people = plainPolicy({ ...before, ...said });
  return people !== undefined && isForNobody(people) ? NOBODY : people;
}

/**
 * Adds requirements to the properties that an escalation sets itself. Properties that it does not set are
 * inherited.
 */
export function standInWith(said: ApprovalPolicy, people: ApprovalPolicy): ApprovalPolicy {
  const joined = bothApprovers(said, people) ?? {};
  if (isForNobody(joined)) return joined;
  return present({
    need: said.need && neededBy(joined),
    from: said.from && joined.from,
    notRequester: said.notRequester === undefined ? undefined : joined.notRequester,
    issuers: said.issuers && joined.issuers,
    over: said.over && joined.over,
    veto: said.veto === undefined ? undefined : joined.veto,
  });
}

/**
 * Whether a policy is at least as strict as another one, and does not list anyone who is missing from the
 * other.
 */
export function asksAll(asked: ApprovalPolicy = {}, wanted: ApprovalPolicy): boolean {
  if (isForNobody(asked)) return true;
  return (
    neededBy(asked) >= neededBy(wanted) &&
    strictness(asked) >= strictness(wanted) &&
    isWithin(asked.from, wanted.from) &&
    isWithin(asked.issuers, wanted.issuers) &&
    bothSay(asked, wanted, 'over') === asked.over &&
    bothSay(asked, wanted, 'veto') === asked.veto
  );
}

/**
 * Ranks a policy by its treatment of requesters. 0: they may approve. 1: they may not if they made the
 * request through an API. 2: they may not.
 */
function strictness({ notRequester }: ApprovalPolicy): number {
  if (notRequester === undefined) return 1;
  return notRequester ? 2 : 0;
}

function isWithin(names: readonly string[] | undefined, list: readonly string[] | undefined): boolean {
  return list === undefined || names?.every((name) => list.includes(name)) === true;
}

/**
 * Combines two policies. The result requires the higher number of approvers, and lists only people that both
 * policies list with the same spelling. The order of the policies does not matter.
 */
export function bothApprovers(
  one: ApprovalPolicy | undefined,
  other: ApprovalPolicy | undefined,
): ApprovalPolicy | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const joined = {
    need: Math.max(neededBy(one), neededBy(other)),
    ...present({ from: bothLists(one.from, other.from), issuers: bothLists(one.issuers, other.issuers) }),
    ...present({ notRequester: oneOrOther(one.notRequester, other.notRequester) }),
    ...present({ over: bothSay(one, other, 'over'), veto: bothSay(one, other, 'veto') }),
  };
  return isForNobody(joined) ? NOBODY : plainPolicy(joined);
}

function bothLists(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((name) => other.includes(name)).sort();
}

/**
 * Combines the `notRequester` settings of two policies. If one policy does not set it, the setting of the
 * other applies.
 */
function oneOrOther(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one || other;
}

/**
 * Combines a property that makes approval easier. Keeps the value of one policy only if the other has the
 * same value, or does not require several approvers.
 */
function bothSay<Easing extends 'over' | 'veto'>(
  one: ApprovalPolicy,
  other: ApprovalPolicy,
  easing: Easing,
): ApprovalPolicy[Easing] | undefined {
  if (one[easing] === other[easing]) return one[easing];
  if (neededBy(one) === 1) return other[easing];
  return neededBy(other) === 1 ? one[easing] : undefined;
}
