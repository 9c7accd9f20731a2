import type { ApprovalPolicy } from '../people/index.js';
import { approversJson, readStandIn, standInWith, succeeding } from '../people/index.js';
import type { Deadline, Escalation, TimeoutOutcome } from './deadline.js';
import type { OnTimeout } from '../interrupt.js';

/** The deadline with these people demanded of everybody who is asked in the place of others, too. */
export function withPeople(deadline: Deadline, people: ApprovalPolicy | undefined): Deadline {
  const { onTimeout } = deadline;
  if (people === undefined || onTimeout === undefined) return deadline;
  return { ...deadline, onTimeout: outcomeWith(onTimeout, people) };
}

function outcomeWith(outcome: TimeoutOutcome, people: ApprovalPolicy): TimeoutOutcome {
  const next = escalationOf(outcome);
  if (next === undefined) return outcome;
  const { approvers, onTimeout } = next;
  return {
    escalate: {
      ...next,
      ...(approvers !== undefined && { approvers: standInWith(approvers, people) }),
      ...(onTimeout !== undefined && { onTimeout: outcomeWith(onTimeout, people) }),
    },
  };
}

/** The outcome of a question that takes the word of these people: nobody else stands in, and time gives no value to it. */
export function withoutOthers(outcome: OnTimeout, people: ApprovalPolicy): OnTimeout | undefined {
  if (outcome.action === 'respond') return undefined;
  if (outcome.action !== 'escalate') return outcome;
  const { approvers, onTimeout, ...rest } = outcome;
  const later = onTimeout && withoutOthers(onTimeout, people);
  return {
    ...rest,
    ...(later && { onTimeout: later }),
    ...(approvers && { approvers: standInWith(approvers, people) }),
  };
}

/** The people whose word counts in the place of those before, where nobody answers in time; empty: anybody’s. */
export function standIns(
  { onTimeout }: Pick<Deadline, 'onTimeout'>,
  before: ApprovalPolicy | undefined,
): readonly ApprovalPolicy[] {
  const next = onTimeout === undefined ? undefined : escalationOf(onTimeout);
  if (next === undefined) return [];
  const { approvers, ...later } = next;
  const people = succeeding(before, approvers && readStandIn(approversJson(approvers)));
  return [people ?? {}, ...standIns(later, people)];
}

function escalationOf(outcome: TimeoutOutcome): Escalation | undefined {
  return typeof outcome === 'object' && 'escalate' in outcome ? outcome.escalate : undefined;
}
