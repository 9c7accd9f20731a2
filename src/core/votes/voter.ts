import { actorName, isActor } from '../actor-name.js';
import type { Interrupt } from '../interrupt.js';
import type { Actor, Resolution } from '../resolution.js';
import type { ApprovalPolicy } from '../people/index.js';
import { isGroup } from '../people/index.js';

// Invariants:
// V1 A subject is the name by which a door knows a person, whichever door it was: two doors that know `ann` know one
//    person, so that nobody is two of those who are needed.
// V2 Nobody agrees but a person: no script, no rule and no clock.

type Person = Actor & { readonly type: 'person' };

/** The name that a person votes under: what a door proved, else what they are called. */
export function subjectOf({ name, id }: Person): string {
  return id === undefined ? name : id.subject;
}

/** True for a decision that lets nothing run. One person who may decide is enough for it. */
export function isNo({ action }: Resolution): boolean {
  return action === 'reject' || action === 'cancel';
}

/**
 * Says why somebody's decision about a question does not count; `undefined` where it does.
 * @param requesters whoever asked for what the session does, as their subjects
 */
export function voterProblem(
  { approvers }: Pick<Interrupt, 'approvers'>,
  { by, resolution }: { readonly by: Actor; readonly resolution: Resolution },
  requesters: readonly string[] | undefined,
): string | undefined {
  if (approvers === undefined) return undefined;
  const who = isActor(by) ? actorName(by) : 'somebody unknown';
  if (!isActor(by) || by.type !== 'person') {
    const isRule = isActor(by) && by.type === 'rule' && isNo(resolution);
    return isRule ? undefined : `${who} is no person, and this is for people`;
  }
  const subject = subjectOf(by);
  const asked = requesters?.includes(subject) === true;
  if (isNo(resolution) && asked) return undefined; // whoever asked for it may take it back
  if (approvers.from !== undefined && !approvers.from.some((name) => names(name, by)))
    return `${who} is not asked: it is for ${listedNames(approvers)}`;
  if (approvers.notRequester !== true || isNo(resolution)) return undefined;
  if (requesters === undefined) return 'nobody knows who asked for it, and they must not decide it';
  return asked ? `${who} asked for it, and somebody else is to decide` : undefined;
}

/** True where an entry of the list means this person. */
function names(entry: string, { id, groups = [], ...person }: Person): boolean {
  if (isGroup(entry)) return groups.includes(entry.slice(1));
  if (entry.includes('/')) return id !== undefined && entry === `${id.issuer}/${id.subject}`;
  return entry === subjectOf({ ...person, ...(id && { id }) });
}

/** The people who are asked, in words; not escaped. */
function listedNames({ from = [], notRequester }: ApprovalPolicy): string {
  if (from.length > 0) return from.join(', ');
  return notRequester === true ? 'somebody who did not ask for it' : 'anybody';
}
