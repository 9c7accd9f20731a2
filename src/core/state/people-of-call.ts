import { withoutOthers } from '../question/deadline.js';
import type { Interrupt, InterruptDraft, ApprovalPolicy } from '../data/interrupt.js';
import { asksAll, bothApprovers } from '../question/approvers.js';
import { jsonEquals } from '../data/json.js';
import type { Call } from './call.js';

// Invariants:
// V4 Whatever lets something run again needs the people who agreed that it runs. Every question about it names them; a
//    journal whose question does not is read, and what one person said there is their word alone: who must agree is asked
//    again before anything runs.
// V8 A second person is asked for once for one call: where as many as its body wants have agreed to exactly this input,
//    what the body asks about it takes one of them.

/** Adds approvers to those that a question already requires. */
export function askingPeople(draft: InterruptDraft, people: ApprovalPolicy | undefined): InterruptDraft {
  if (people === undefined) return draft;
  const { approvers: own, onTimeout, ...rest } = draft;
  const approvers = bothApprovers(own ?? {}, people);
  const later = onTimeout && withoutOthers(onTimeout, people);
  return { ...rest, ...(later && { onTimeout: later }), ...(approvers && { approvers }) };
}

/**
 * Adds the approvers of a call to a question about it (V4). Questions from the approval check already specify
 * their approvers. A question that only gathers information needs one approver, and so does a tool's own
 * question about the approved input (V8).
 */
export function withCallPeople(call: Call, draft: InterruptDraft): InterruptDraft {
  const { kind, kept, source, approvers: own, ...rest } = draft;
  const people = call.approval?.approvers;
  if (people === undefined || (source.type === 'tool' && source.raisedBy === 'approval')) return draft;
  const runs = kind !== 'question' || kept !== undefined;
  const one = { ...people, need: 1 };
  if (isAboutAgreed(call.approval, draft) && asksAll(people, own ?? {})) {
    const once = { ...rest, kind, source, ...(own !== undefined && { approvers: { ...own, need: 1 } }) };
    return { ...askingPeople(once, one), ...proposedIn(call) };
  }
  const asked = askingPeople(draft, runs ? people : one);
  return runs ? { ...asked, ...proposedIn(call) } : asked;
}

/** Whether a tool asks to confirm exactly the input that was approved (V8). */
function isAboutAgreed(
  approval: Call['approval'] | undefined,
  { kind, source, kept }: Pick<Interrupt, 'kind' | 'source' | 'kept'>,
): boolean {
  if (approval === undefined || kind !== 'confirmation' || kept !== undefined) return false;
  return source.type === 'tool' && source.raisedBy === 'tool' && jsonEquals(source.input, approval.input);
}

/** Returns the person who proposed a call's input, if any (V5 of `../answer/voter.ts`). */
export function proposedIn({ proposal }: Pick<Call, 'proposal'>): Pick<InterruptDraft, 'proposed'> {
  return proposal === undefined ? {} : { proposed: { by: proposal.by } };
}

/**
 * Returns the approvers required for the upcoming execution. There may be fewer than at the approval check,
 * if a later question required fewer (V4).
 */
export function peopleAgreed({ approval, resolved }: Call): ApprovalPolicy | undefined {
  const people = approval?.approvers;
  if (resolved === undefined || people === undefined) return people;
  const { interrupt } = resolved;
  const wanted = isAboutAgreed(approval, interrupt) ? { ...people, need: 1 } : people;
  return asksPeople(interrupt, wanted) ? people : interrupt.approvers;
}

/** Whether a question requires at least these approvers. */
export function asksPeople(
  { approvers }: Pick<Interrupt, 'approvers'>,
  people: ApprovalPolicy | undefined,
): boolean {
  return people === undefined || asksAll(approvers, people);
}
