import { HitlError } from '../data/errors.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, present } from '../data/json.js';
import { isIssuerKind, plainName } from './identity.js';

/** Something that asks people. */
export interface Approvable {
  /** The people whose word it takes, and how many. No rule and no script approves it then. Default: one, anybody. */
  readonly approvers?: ApprovalPolicy;
}

/** The most people that a question may need. */
const MOST_NEEDED = 20;
/** The most names that a question may list. */
const MOST_NAMES = 100;

/**
 * Reads who must agree, as it was written; `undefined` where anybody may.
 * @throws HitlError BAD_CONFIG
 */
export function approversOf(given: ApprovalPolicy | undefined): ApprovalPolicy | undefined {
  return given === undefined ? undefined : plainPolicy(standInOf(given));
}

/**
 * Reads who must agree in the place of others, as it was written: `need: 1` says something there, and what is not
 * written stays as it was.
 * @throws HitlError BAD_CONFIG
 */
export function standInOf(given: ApprovalPolicy): ApprovalPolicy {
  const why = approversProblem(given);
  if (why !== undefined)
    throw new HitlError('BAD_CONFIG', why, { hint: "such as: approvers: { need: 2, from: ['@ops'] }" });
  return saidPolicy(given);
}

/** Reads who must agree, as a question keeps it. @throws HitlError BAD_CONFIG */
export function keptApprovers({ approvers }: Approvable): Approvable {
  const kept = approversOf(approvers);
  return kept === undefined ? {} : { approvers: kept };
}

/** Says what is wrong with words about who must agree; `undefined` where they can be kept. */
export function approversProblem(given: unknown): string | undefined {
  if (!isJsonObject(given)) return '`approvers` must be an object';
  const { need, from, notRequester, issuers, over, veto, ...others } = given;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `\`${strange}\` is no member of \`approvers\``;
  if (need !== undefined && !(Number.isInteger(need) && Number(need) >= 1 && Number(need) <= MOST_NEEDED))
    return `\`need\` must be 1..${MOST_NEEDED}, got ${JSON.stringify(need)}`;
  if (notRequester !== undefined && typeof notRequester !== 'boolean')
    return '`notRequester` must be true or false';
  if (issuers !== undefined && !isList(issuers, isIssuerName))
    return `\`issuers\` must list 1..${MOST_NAMES} of \`local\`, \`tokens\`, \`slack\` and issuers such as \`https://id.example.org\``;
  if (over !== undefined && !isMemberName(over)) return '`over` must name a member of the answer';
  if (veto !== undefined && !isVetoValue(veto)) return '`veto` must be a text, a number, true or false';
  if (from === undefined) return undefined;
  if (!isList(from, isListedName))
    return `\`from\` must list 1..${MOST_NAMES} names of people, or of groups as \`@ops\``;
  const [people, wanted] = [peopleIn(from), Number(need ?? 1)];
  const isShort = !from.some((name) => isGroup(name)) && people < wanted;
  return isShort ? `${wanted} are needed, and \`from\` names ${people}` : undefined;
}

/** The people that names surely are: two spellings of one name may be the same person. */
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

/** A word for a kind of issuer, or one that has to name somebody: a misspelt kind is none. */
function isIssuerName(name: JsonValue): name is string {
  return isListedName(name) && (isIssuerKind(name) || name.includes(':'));
}

/** True for the name of a group. */
export function isGroup(name: string): boolean {
  return name.startsWith('@');
}

/** Only what says something: `need: 1` alone is no other question than none. */
function plainPolicy({ need = 1, ...rest }: ApprovalPolicy): ApprovalPolicy | undefined {
  const plain = { ...(need > 1 && { need }), ...saidPolicy(rest) };
  return Object.keys(plain).length === 0 ? undefined : plain;
}

/** All that is said, each name once. */
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

/** The number of people who must say the same. */
export function neededBy(policy: ApprovalPolicy | undefined): number {
  return policy?.need ?? 1;
}

/** Gives who must agree as JSON. */
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
 * People who do not exist: what nobody can read is agreed to by nobody. Somebody may well be called so; a list of one
 * name never has the number that is needed.
 */
export const NOBODY: ApprovalPolicy = { need: MOST_NEEDED, from: ['nobody'] };

/** True where nobody can agree: fewer people are named than are needed. */
export function isForNobody(policy: ApprovalPolicy): boolean {
  const { from, issuers } = policy;
  if (issuers?.length === 0) return true;
  return from !== undefined && !from.some(isGroup) && peopleIn(from) < neededBy(policy);
}

/** Reads what `approversJson` gave. What is none of it lets nobody agree: it said that not everybody may. */
export function readApprovers(said: JsonValue | undefined): ApprovalPolicy | undefined {
  return said === undefined ? undefined : plainPolicy(readStandIn(said));
}

/** Reads who must agree in the place of others, as `approversJson` gave it. */
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
 * Gives the people whose word it takes when others are asked in the place of those before. What was demanded outlives
 * them, member by member: it ends only where something else is written, such as `notRequester: false`.
 */
export function succeeding(
  before: ApprovalPolicy | undefined,
  said: ApprovalPolicy | undefined,
): ApprovalPolicy | undefined {
  const people = plainPolicy({ ...before, ...said });
  return people !== undefined && isForNobody(people) ? NOBODY : people;
}

/** Demands people of those who are asked in the place of others, too: of what is written, as the rest is demanded before. */
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

/** True where what asks these people asks no fewer than others want, and nobody whom those do not name. */
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

/** The people who asked may approve, may not if they asked by an API, may not. */
function strictness({ notRequester }: ApprovalPolicy): number {
  if (notRequester === undefined) return 1;
  return notRequester ? 2 : 0;
}

function isWithin(names: readonly string[] | undefined, list: readonly string[] | undefined): boolean {
  return list === undefined || names?.every((name) => list.includes(name)) === true;
}

/**
 * Joins the people whom two name: as many as the stricter wants, and only people whom both name, by the same name.
 * Whichever comes first, it is the same.
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

/** One says nothing of those who asked: the other does. */
function oneOrOther(one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one || other;
}

/** What makes agreeing easier holds where both say it, or where the other needs nobody to agree. */
function bothSay<Easing extends 'over' | 'veto'>(
  one: ApprovalPolicy,
  other: ApprovalPolicy,
  easing: Easing,
): ApprovalPolicy[Easing] | undefined {
  if (one[easing] === other[easing]) return one[easing];
  if (neededBy(one) === 1) return other[easing];
  return neededBy(other) === 1 ? one[easing] : undefined;
}
