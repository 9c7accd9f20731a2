import { HitlError } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject } from '../json/index.js';

/** The people whose word a question takes, and how many of them must say the same. */
export interface ApprovalPolicy {
  /** The number of people who must give the same answer. Default 1. */
  readonly need?: number;
  /**
   * Names of people, `ann`, or of one issuer’s, `https://id.example.org/ann`, and of groups, `@ops`. Default: anybody
   * who may answer in this store.
   */
  readonly from?: readonly string[];
  /** Whoever asked for it agrees to nothing. Default false. */
  readonly notRequester?: boolean;
}

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
  if (given === undefined) return undefined;
  const why = approversProblem(given);
  if (why !== undefined)
    throw new HitlError('BAD_CONFIG', why, { hint: "such as: approvers: { need: 2, from: ['@ops'] }" });
  return plainPolicy(given);
}

/** Reads who must agree, as a question keeps it. @throws HitlError BAD_CONFIG */
export function keptApprovers({ approvers }: Approvable): Approvable {
  const kept = approversOf(approvers);
  return kept === undefined ? {} : { approvers: kept };
}

/** Says what is wrong with words about who must agree; `undefined` where they can be kept. */
export function approversProblem(given: unknown): string | undefined {
  if (!isJsonObject(given)) return '`approvers` must be an object';
  const { need, from, notRequester, ...others } = given;
  const [strange] = Object.keys(others);
  if (strange !== undefined) return `\`${strange}\` is no member of \`approvers\``;
  if (need !== undefined && !(Number.isInteger(need) && Number(need) >= 1 && Number(need) <= MOST_NEEDED))
    return `\`need\` must be 1..${MOST_NEEDED}, got ${JSON.stringify(need)}`;
  if (notRequester !== undefined && typeof notRequester !== 'boolean')
    return '`notRequester` must be true or false';
  if (from === undefined) return undefined;
  if (!isJsonArray(from) || from.length === 0 || from.length > MOST_NAMES || !from.every(isListedName))
    return `\`from\` must list 1..${MOST_NAMES} names of people, or of groups as \`@ops\``;
  const [people, wanted] = [new Set(from).size, Number(need ?? 1)];
  const isShort = !from.some((name) => isGroup(name)) && people < wanted;
  return isShort ? `${wanted} are needed, and \`from\` names ${people}` : undefined;
}

/** The longest name, in characters. */
const NAME_LENGTH = 200;

function isListedName(name: JsonValue): name is string {
  return typeof name === 'string' && /^@?[^\s@,][^\s,]*$/u.test(name) && name.length <= NAME_LENGTH;
}

/** True for the name of a group. */
export function isGroup(name: string): boolean {
  return name.startsWith('@');
}

/** Only what says something: `need: 1` and an empty word of ours are no other question than none. */
function plainPolicy({ need = 1, from, notRequester = false }: ApprovalPolicy): ApprovalPolicy | undefined {
  if (need === 1 && from === undefined && !notRequester) return undefined;
  return {
    ...(need > 1 && { need }),
    ...(from !== undefined && { from: [...new Set(from)] }),
    ...(notRequester && { notRequester }),
  };
}

/** The number of people who must say the same. */
export function neededBy(policy: ApprovalPolicy | undefined): number {
  return policy?.need ?? 1;
}

/** Gives who must agree as JSON. */
export function approversJson({ need, from, notRequester }: ApprovalPolicy): JsonObject {
  return {
    ...(need !== undefined && { need }),
    ...(from !== undefined && { from: [...from] }),
    ...(notRequester !== undefined && { notRequester }),
  };
}

/**
 * People who do not exist: what nobody can read is agreed to by nobody. Somebody may well be called so; a list of one
 * name never has the number that is needed.
 */
export const NOBODY: ApprovalPolicy = { need: MOST_NEEDED, from: ['nobody'] };

/** True where nobody can agree: fewer people are named than are needed. */
export function isForNobody(policy: ApprovalPolicy): boolean {
  const { from } = policy;
  return from !== undefined && !from.some(isGroup) && new Set(from).size < neededBy(policy);
}

/** Reads what `approversJson` gave. What is none of it lets nobody agree: it said that not everybody may. */
export function readApprovers(said: JsonValue | undefined): ApprovalPolicy | undefined {
  if (said === undefined) return undefined;
  if (approversProblem(said) !== undefined || !isJsonObject(said)) return NOBODY;
  const { need, from, notRequester } = said;
  return plainPolicy({
    ...(typeof need === 'number' && { need }),
    ...(from !== undefined && isJsonArray(from) && { from: from.filter(isListedName) }),
    ...(notRequester === true && { notRequester }),
  });
}

/** True where what asks these people asks no fewer than others want, and nobody whom those do not name. */
export function asksAll(asked: ApprovalPolicy = {}, wanted: ApprovalPolicy): boolean {
  const { from } = wanted;
  if (isForNobody(asked)) return true;
  return (
    neededBy(asked) >= neededBy(wanted) &&
    (wanted.notRequester !== true || asked.notRequester === true) &&
    (from === undefined || asked.from?.every((name) => from.includes(name)) === true)
  );
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
  const from =
    one.from === undefined || other.from === undefined
      ? (one.from ?? other.from)
      : one.from.filter((name) => other.from?.includes(name)).sort();
  const joined = {
    need: Math.max(neededBy(one), neededBy(other)),
    ...(from !== undefined && { from }),
    notRequester: one.notRequester === true || other.notRequester === true,
  };
  return isForNobody(joined) ? NOBODY : plainPolicy(joined);
}
