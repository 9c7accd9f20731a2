import type { ApprovalPolicy } from './approvers.js';
import { approversOf, approversProblem, neededBy, NOBODY } from './approvers.js';

/** The word behind which a rule says whose word a call takes. */
const NEEDS = 'needs';
const NOT_REQUESTER = 'not whoever asked';

/** The text of a rule, taken apart. */
interface SplitRule {
  /** The calls that it is about. */
  readonly before: string;
  readonly approvers?: ApprovalPolicy;
  /** The reason why the people cannot be read; nobody agrees then. */
  readonly problem?: string;
}

/** True for the word that begins the people of a rule. */
export function isPeopleWord(word: string): boolean {
  return word === NEEDS;
}

/** Takes `transfer needs 2 of @ops, not whoever asked` apart; what is quoted, or in JSON, is no such word. */
export function splitPeople(text: string): SplitRule {
  const found = /^(?<before>.*\S)\s+needs\s+(?<people>[^"'{}]*)$/su.exec(text);
  const { before = text, people } = found?.groups ?? {};
  if (people === undefined) return { before };
  const read = readPeople(people.trim());
  const problem = typeof read === 'string' ? read : approversProblem(read);
  if (problem !== undefined)
    return { before, approvers: NOBODY, problem: `\`${NEEDS} ${people}\`: ${problem}` };
  const approvers = typeof read === 'string' ? undefined : approversOf(read);
  return { before, ...(approvers !== undefined && { approvers }) };
}

/** Reads `2 of @ops, ann, not whoever asked`, or says how it is written. */
function readPeople(
  text: string,
): { readonly [Member in keyof ApprovalPolicy]?: ApprovalPolicy[Member] } | string {
  const [, counted = text, besides] = /^(.*?)(?:,?\s*(not whoever asked))?$/su.exec(text) ?? [];
  const [, need, names] = /^(\d+)(?:\s+(?:people|of\s+(.+)))?$/su.exec(counted.trim()) ?? [];
  if (need === undefined)
    return `people are written as \`${NEEDS} 2\`, \`${NEEDS} 1 of ann, bob\` or \`${NEEDS} 2 of @ops, ${NOT_REQUESTER}\``;
  return {
    need: Number(need),
    ...(names !== undefined && { from: names.split(/[\s,]+/u).filter((name) => name !== '') }),
    ...(besides !== undefined && { notRequester: true }),
  };
}

/** Writes people as a rule has them: `needs 2 of @ops, not whoever asked`. */
export function policyWords(policy: ApprovalPolicy): string {
  const { from = [], notRequester = false } = policy;
  const of = from.length === 0 ? '' : ` of ${from.join(', ')}`;
  return `${NEEDS} ${neededBy(policy)}${of}${notRequester ? `, ${NOT_REQUESTER}` : ''}`;
}
