import { nearNames } from '../data/near-names.js';
import type { ApprovalPolicy } from '../data/interrupt.js';
import { durationMs } from '../data/duration.js';
import { approversOf, approversProblem, neededBy, NOBODY } from './approvers.js';

/** Keyword that introduces a rule's required approvers. */
const NEEDS = 'needs';
const NOT_REQUESTER = 'not whoever asked';
const ALSO_REQUESTER = 'also whoever asked';
/** Keyword that introduces the time for which an approval is valid. */
const LASTS = 'lasts';

/** A parsed rule. */
interface SplitRule {
  /** The part of the rule that describes the matching calls. */
  readonly before: string;
  readonly approvers?: ApprovalPolicy;
  /** How long an approval is valid: `15m`. */
  readonly approvalLasts?: string;
  /** Why the approval clause is invalid. If its approvers are invalid, no one can approve. */
  readonly problem?: string;
}

/** Whether a word starts a rule's approval clause. */
export function isApprovalWord(word: string): boolean {
  return word === NEEDS || word === LASTS;
}

/**
 * Returns the index of the first word of a rule's approval clause, or the number of words if there is no such
 * clause.
 */
export function approvalWordsAt(words: readonly string[]): number {
  const end = words.at(-2) === LASTS ? words.length - 2 : words.length;
  const needs = words.slice(0, end).lastIndexOf(NEEDS);
  return needs === -1 ? end : needs;
}

/**
 * Splits a rule such as `transfer needs 2 of @ops, not whoever asked, lasts 15m` into its parts. Words in
 * quotes or JSON are not treated as keywords.
 */
export function splitApproval(text: string): SplitRule {
  const found = /^(?<before>.*?[^\s,]),?[ \t]+lasts[ \t]+(?<time>[^\s"'{}]+)$/su.exec(text);
  const { before = text, time } = found?.groups ?? {};
  const split = splitPeople(before);
  if (time === undefined) return split;
  const problem = lastingProblem(time);
  if (problem === undefined) return { ...split, approvalLasts: time };
  return { ...split, problem: split.problem ?? `\`${LASTS} ${time}\`: ${problem}` };
}

/**
 * Returns a hint that corrects an invalid duration, such as a number without a unit; `undefined` if the
 * duration is valid.
 */
export function lastingProblem(time: string): string | undefined {
  if (/^[\d.]+$/u.test(time)) return `write the unit: ${time}s, ${time}m or ${time}h`;
  return durationMs(time) === undefined ? 'write a duration such as 15m, 2h or 1d' : undefined;
}

/** Separates the approvers from the rest of a rule. */
function splitPeople(text: string): SplitRule {
  const found = /^(?<before>.*\S)[ \t]+needs[ \t]+(?<people>[^"'{}]*)$/su.exec(text);
  const { before = text, people } = found?.groups ?? {};
  if (people === undefined) return { before };
  const read = readPeople(people.trim());
  const problem = typeof read === 'string' ? read : approversProblem(read);
  if (problem !== undefined)
    return { before, approvers: NOBODY, problem: `\`${NEEDS} ${people}\`: ${problem}` };
  const approvers = typeof read === 'string' ? undefined : approversOf(read);
  return { before, ...(approvers !== undefined && { approvers }) };
}

/**
 * Keywords of the approval clause. A keyword used as a name is rejected, because it is probably a mistake.
 */
const NO_NAMES: ReadonlySet<string> = new Set([
  'needs',
  'lasts',
  'through',
  'also',
  'people',
  'of',
  'and',
  'or',
  'not',
  'whoever',
  'asked',
]);

/**
 * Parses approvers such as `2 of @ops, ann through tokens, not whoever asked`. Returns an error message that
 * shows the syntax if the text is invalid.
 */
function readPeople(
  text: string,
): { readonly [Member in keyof ApprovalPolicy]?: ApprovalPolicy[Member] } | string {
  const [, counted = text, besides] = /^(.*?)(?:,?\s*(not|also) whoever asked)?$/su.exec(text) ?? [];
  const [, need, given, through] =
    /^([1-9]\d*)(?:\s+(?:people|of\s+(.+?)))?(?:\s+through\s+(.+))?$/su.exec(counted.trim()) ?? [];
  if (need === undefined)
    return `write approvers as \`${NEEDS} 2\`, \`${NEEDS} 1 of ann, bob\`, \`${NEEDS} 2 of @ops, ${NOT_REQUESTER}\` or \`${NEEDS} 1, ${ALSO_REQUESTER}\``;
  const [names, issuers] = [listed(given), listed(through)];
  const strange = [...(names ?? []), ...(issuers ?? [])].find((name) => !isNameHere(name));
  if (strange !== undefined)
    return `\`${strange}\` is not a valid name; separate names with commas, and put \`, ${NOT_REQUESTER}\` last`;
  return {
    need: Number(need),
    ...(names !== undefined && { from: names }),
    ...(issuers !== undefined && { issuers }),
    ...(besides !== undefined && { notRequester: besides === 'not' }),
  };
}

function listed(names: string | undefined): readonly string[] | undefined {
  return names?.split(',').map((name) => name.trim());
}

function isNameHere(name: string): boolean {
  return name !== '' && !/\s/u.test(name) && !NO_NAMES.has(name.toLowerCase());
}

/**
 * Finds a clause that would be misread: `needs 2 of @ops`, `lasts 15m` or `when read-only` in quotes, in
 * capitals, in lookalike letters, with a typo or without its first word. Returns the intended text and its
 * subject: people, time or a server's tools.
 */
export function misreadClause(
  text: string,
): { readonly meant: string; readonly about: 'people' | 'time' | 'served' } | undefined {
  const words = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Default_Ignorable_Code_Point}"'`\u2018-\u201f\u2032\u2033]/gu, '')
    .split(/[\s,]+/u)
    .filter((word) => word !== '');
  for (const [at, word] of words.entries()) {
    const [next = '', third = ''] = words.slice(at + 1);
    const counts = /^\d+$/u.test(next);
    if (
      word === NEEDS ||
      (counts && (isNear(word, NEEDS) || word.endsWith(NEEDS))) ||
      isNear(word, 'whoever')
    )
      return { meant: `${NEEDS} 2 of @ops, ${NOT_REQUESTER}`, about: 'people' };
    if ((word === 'of' && next.startsWith('@')) || (/^\d+$/u.test(word) && next === 'of' && third !== ''))
      return { meant: `${NEEDS} 2 of @ops`, about: 'people' };
    if (isNear(word, 'when') && (isNear(next, 'read-only') || (next === 'read' && third === 'only')))
      return { meant: 'when read-only', about: 'served' };
    if ((isNear(word, LASTS) || word.endsWith(LASTS)) && durationMs(next) !== undefined)
      return { meant: `${LASTS} 15m`, about: 'time' };
  }
  return undefined;
}

function isNear(word: string, meant: string): boolean {
  return Math.abs(word.length - meant.length) <= 2 && nearNames(word, [meant]).length > 0;
}

/** Formats approvers in rule syntax: `needs 2 of @ops through tokens, not whoever asked`. */
export function policyWords(policy: ApprovalPolicy): string {
  const { from = [], issuers = [], notRequester } = policy;
  const of = from.length === 0 ? '' : ` of ${from.join(', ')}`;
  const through = issuers.length === 0 ? '' : ` through ${issuers.join(', ')}`;
  const besides = notRequester === undefined ? '' : `, ${notRequester ? NOT_REQUESTER : ALSO_REQUESTER}`;
  return `${NEEDS} ${neededBy(policy)}${of}${through}${besides}`;
}
