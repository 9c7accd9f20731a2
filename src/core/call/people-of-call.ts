import { withoutOthers } from '../deadline/index.js';
import type { Interrupt, InterruptDraft } from '../interrupt.js';
import type { ApprovalPolicy } from '../people/index.js';
import { asksAll, bothApprovers } from '../people/index.js';
import type { Call } from './call.js';

// Invariants:
// V4 Whatever lets something run again needs the people who agreed that it runs. Every question about it names them; a
//    journal whose question does not is read, and what one person said there is their word alone: who must agree is asked
//    again before anything runs.

/** The question with these people beside those that it names itself. */
export function askingPeople(draft: InterruptDraft, people: ApprovalPolicy | undefined): InterruptDraft {
  if (people === undefined) return draft;
  const { approvers: own, onTimeout, ...rest } = draft;
  const approvers = bothApprovers(own ?? {}, people);
  const later = onTimeout && withoutOthers(onTimeout, people);
  return { ...rest, ...(later && { onTimeout: later }), ...(approvers && { approvers }) };
}

/**
 * A question about a call with the people of the call (V4). The gate in front of the tool names them anew. What only
 * wants to know something, and lets nothing run, takes one of them.
 */
export function withCallPeople({ approval }: Call, draft: InterruptDraft): InterruptDraft {
  const { kind, kept, source } = draft;
  const people = approval?.approvers;
  if (people === undefined || (source.type === 'tool' && source.raisedBy === 'approval')) return draft;
  const runs = kind !== 'question' || kept !== undefined;
  return askingPeople(draft, runs ? people : { ...people, need: 1 });
}

/** The people who agreed to the run of a call that comes: fewer than at the gate, where a later question took fewer (V4). */
export function peopleAgreed({ approval, resolved }: Call): ApprovalPolicy | undefined {
  const people = approval?.approvers;
  return resolved === undefined || asksPeople(resolved.interrupt, people)
    ? people
    : resolved.interrupt.approvers;
}

/** True where a question takes the word of all whom others want, too. */
export function asksPeople(
  { approvers }: Pick<Interrupt, 'approvers'>,
  people: ApprovalPolicy | undefined,
): boolean {
  return people === undefined || asksAll(approvers, people);
}
