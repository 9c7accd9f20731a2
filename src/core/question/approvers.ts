import { HitlError } from '../data/errors.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, present } from '../data/json.js';
import { isIssuerKind, plainName } from './identity.js';

/** A question that approvers may have to answer. */
export interface Approvable {
  /** Required approvers and their number. No rule or script can then approve it. Default: one, anyone. */
  readonly approvers?: ApprovalPolicy;
}

/** The most approvals that a question can require. */
const MOST_NEEDED = 20;
/** The most names that a question may list. */
const MOST_NAMES = 100;

/**
 * Parses required approvers; `undefined` if anyone may approve.
 * @throws HitlError BAD_CONFIG
 */
export function approversOf(given: ApprovalPolicy | undefined): ApprovalPolicy | undefined {
  return given === undefined ? undefined : plainPolicy(standInOf(given));
}

/**
 * Parses the approvers of an escalation: here `need: 1` has a meaning, and missing properties are inherited.
 * @throws HitlError BAD_CONFIG
 */
export function standInOf(given: ApprovalPolicy): ApprovalPolicy {
  const why = approversProblem(given);
  if (why !== undefined)
    throw new HitlError('BAD_CONFIG', why, { hint: "for example: approvers: { need: 2, from: ['@ops'] }" });
  return saidPolicy(given);
}

/** Parses required approvers into the form of a question. @throws HitlError BAD_CONFIG */
export function keptApprovers({ approvers }: Approvable): Approvable {
  const kept = approversOf(approvers);
  return kept === undefined ? {} : { approvers: kept };
}

/** Describes what is wrong with an approver policy; `undefined` if it is valid. */
export function approversProblem(given: unknown): string | undefined {
  if (!isJsonObject(given)) return '`approvers` must be an object';
  const { need, from, notRequester, issuers, over, veto, ...others } = given;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `\`${strange}\` is not a property of \`approvers\``;
  if (need !== undefined && !(Number.isInteger(need) && Number(need) >= 1 && Number(need) <= MOST_NEEDED))
    return `\`need\` must be 1..${MOST_NEEDED}, got ${JSON.stringify(need)}`;
  if (notRequester !== undefined && typeof notRequester !== 'boolean')
    return '`notRequester` must be true or false';
  if (issuers !== undefined && !isList(issuers, isIssuerName))
    return `\`issuers\` must list 1..${MOST_NAMES} of \`local\`, \`tokens\`, \`slack\` and issuers such as \`https://id.example.org\``;
  if (over !== undefined && !isMemberName(over)) return '`over` must name a property of the answer';
  if (veto !== undefined && !isVetoValue(veto)) return '`veto` must be a string, a number, true or false';
  if (from === undefined) return undefined;
  if (!isList(from, isListedName))
    return `\`from\` must list 1..${MOST_NAMES} names of people, or of groups as \`@ops\``;
  const [people, wanted] = [peopleIn(from), Number(need ?? 1)];
  const isShort = !from.some((name) => isGroup(name)) && people < wanted;
  return isShort ? `${wanted} are needed, and \`from\` names ${people}` : undefined;
}

/** The certainly distinct people among the names: two spellings may be one person. */
function peopleIn(names: readonly string[]): number {
  return new Set(names.map((name) => plainName(name).toLowerCase())).size;
}

function isList(
  value: JsonValue,
  fits: (one: JsonValue) => one is string,
): value is readonly (JsonValue & string)[] {
  return isJsonArray(value) && value.length > 0 && value.length <= MOST_NAMES && value.every(fits);
}

/** The longest name, in characters. */
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

/** Accepts a kind of issuer, or a full issuer name: a misspelled kind is invalid. */
function isIssuerName(name: JsonValue): name is string {
  return isListedName(name) && (isIssuerKind(name) || name.includes(':'));
}

/** Whether this is the name of a group. */
export function isGroup(name: string): boolean {
  return name.startsWith('@');
}

/** Removes defaults: `need: 1` alone demands nothing. */
function plainPolicy({ need = 1, ...rest }: ApprovalPolicy): ApprovalPolicy | undefined {
  const plain = { ...(need > 1 && { need }), ...saidPolicy(rest) };
  return Object.keys(plain).length === 0 ? undefined : plain;
}

/** Keeps every given property, each name once. */
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

/** Number of people who must give the same answer. */
export function neededBy(policy: ApprovalPolicy | undefined): number {
  return policy?.need ?? 1;
}

/** Converts required approvers to JSON. */
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
 * A policy that cannot be met, for an unreadable one: a list of one name never reaches the required number,
 * even if someone has that name.
 */
export const NOBODY: ApprovalPolicy = { need: MOST_NEEDED, from: ['nobody'] };

/** Whether no one can approve: fewer people are named than needed. */
export function isForNobody(policy: ApprovalPolicy): boolean {
  const { from, issuers } = policy;
  if (issuers?.length === 0) return true;
  return from !== undefined && !from.some(isGroup) && peopleIn(from) < neededBy(policy);
}

/**
 * Reads the output of `approversJson`. An invalid one lets no one approve, because it restricted approvers.
 */
export function readApprovers(said: JsonValue | undefined): ApprovalPolicy | undefined {
  return said === undefined ? undefined : plainPolicy(readStandIn(said));
}

/** Reads the approvers of an escalation from `approversJson`. */
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
 * Returns the approvers after an escalation. Requirements carry over, property by property, unless replaced
 * explicitly, for example by `notRequester: false`.
 */
export function succeeding(
  before: ApprovalPolicy | undefined,
  said: ApprovalPolicy | undefined,
): ApprovalPolicy | undefined {
  const people = plainPolicy({ ...before, ...said });
  return people !== undefined && isForNobody(people) ? NOBODY : people;
}

/** Adds requirements to an escalation's explicit properties; the others are inherited. */
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

/** Whether a policy is at least as strict as another, and names no one outside it. */
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

/** Requesters may approve; may not if they asked by an API; may not. */
function strictness({ notRequester }: ApprovalPolicy): number {
  if (notRequester === undefined) return 1;
  return notRequester ? 2 : 0;
}

function isWithin(names: readonly string[] | undefined, list: readonly string[] | undefined): boolean {
  return list === undefined || names?.every((name) => list.includes(name)) === true;
}

/** Combines two policies: the higher number, and only people named the same way by both. Symmetric. */
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

/** If one does not mention requesters, the other decides. */
function oneOrOther(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one || other;
}

/** A property that makes approval easier applies if both have it, or if the other requires no one. */
function bothSay<Easing extends 'over' | 'veto'>(
  one: ApprovalPolicy,
  other: ApprovalPolicy,
  easing: Easing,
): ApprovalPolicy[Easing] | undefined {
  if (one[easing] === other[easing]) return one[easing];
  if (neededBy(one) === 1) return other[easing];
  return neededBy(other) === 1 ? one[easing] : undefined;
}
