import type { Interrupt, ApprovalPolicy, Subject } from '../data/interrupt.js';
import type { Vote } from '../question/standing-votes.js';
import { isForNobody, neededBy } from '../question/approvers.js';
import { isLocalIssuer, voterOf } from '../question/identity.js';
import { plainLine } from '../data/plain-line.js';
import { decidedWords } from './decided.js';
import { agreeing } from '../question/standing-votes.js';

/** Maximum widths of a name and of a list of names, in columns. */
const NAME_COLUMNS = 30;
const LIST_COLUMNS = 120;

/**
 * Describes the required approvers, as text that is safe to print: `needs 2 approvers from @ops`, `for ann,
 * bob (not the requester)`.
 */
export function peopleWords(policy: ApprovalPolicy, requesters: readonly Subject[] = []): string {
  if (isForNobody(policy)) return 'no eligible approver: this can’t be approved';
  const { from = [], issuers = [], notRequester } = policy;
  const need = neededBy(policy);
  const names = from.length === 0 ? '' : plainLine(from.join(', '), LIST_COLUMNS);
  const asker =
    requesters.length === 0
      ? 'the requester'
      : plainLine(requesters.map(({ name }) => name).join(', '), LIST_COLUMNS);
  const through = issuers.length === 0 ? '' : ` through ${plainLine(issuers.join(', '), LIST_COLUMNS)}`;
  if (need === 1 && names === '' && notRequester === true)
    return `needs someone other than ${asker}${through}`;
  const besides = notRequester === undefined ? '' : ` (${notRequester ? 'not' : 'also'} ${asker})`;
  return `${neededWords(need, names)}${through}${agreement(policy)}${besides}`;
}

function neededWords(need: number, names: string): string {
  if (need > 1) return `needs ${need} approvers${names === '' ? '' : ` from ${names}`}`;
  return names === '' ? 'needs a person' : `for ${names}`;
}

/** Describes the agreement that the votes need: ` who agree on decision, or one who says reject`. */
function agreement({ over, veto, need = 1 }: ApprovalPolicy): string {
  if (need === 1) return '';
  const agree = over === undefined ? '' : ` who agree on ${plainLine(over, NAME_COLUMNS)}`;
  const says = over === undefined || veto === undefined ? '' : `${plainLine(over, NAME_COLUMNS)}: `;
  return veto === undefined
    ? agree
    : `${agree}, or one who answers ${says}${plainLine(String(veto), NAME_COLUMNS)}`;
}

/** Lists the votes so far and groups equal ones: `approved by ann (12:30)`. The result is safe to print. */
function saidWords(interrupt: Interrupt, votes: readonly Vote[]): readonly string[] {
  const told = new Set<Vote>();
  return votes.flatMap((vote) => {
    if (told.has(vote)) return [];
    const same = agreeing(interrupt, votes, vote.resolution);
    for (const one of same) told.add(one);
    const { verb } = decidedWords(interrupt, vote.resolution, '');
    return [`${verb} by ${same.map(voterText).join(', ')}`];
  });
}

function voterText({ by, castAt }: Vote): string {
  const name = by.type === 'person' ? plainLine(nameOf(by), NAME_COLUMNS) : '';
  return `${name} (${/T(\d\d:\d\d)/u.exec(castAt)?.[1] ?? '?'})`;
}

function nameOf(by: Vote['by'] & { readonly type: 'person' }): string {
  const { subject, name, issuer } = voterOf(by);
  return subject === name || isLocalIssuer(issuer) ? name : `${name}, ${subject}`;
}

/** Describes the required approvers and the votes so far; `undefined` if anyone may answer. */
export function approversWords(
  interrupt: Interrupt,
  votes: readonly Vote[] = [],
  requesters?: readonly Subject[],
): string | undefined {
  const { approvers } = interrupt;
  if (approvers === undefined) return undefined;
  return [peopleWords(approvers, requesters), ...saidWords(interrupt, votes)].join('; ');
}

/** Returns the number of votes needed, and the number of votes for the leading answer. */
export function votesCount(
  interrupt: Pick<Interrupt, 'approvers'>,
  votes: readonly Vote[],
): { readonly need: number; readonly agree: number } {
  const agree = Math.max(0, ...votes.map(({ resolution }) => agreeing(interrupt, votes, resolution).length));
  return { need: neededBy(interrupt.approvers), agree };
}
