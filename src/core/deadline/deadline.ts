import { HitlError } from '../errors.js';
import type { JsonValue } from '../json/index.js';
import type { Duration } from '../text/index.js';
import { millisecondsOf, timeOf } from '../text/index.js';
import type { ApprovalPolicy } from '../people/index.js';
import { standInOf } from '../people/index.js';
import type { OnTimeout } from '../interrupt.js';

/** The time that people have for an answer, and what comes of a question that nobody answered. */
export interface Deadline {
  /** Counts from when it is asked: `90s`, `30m`, `2h`, or milliseconds. Default: no end. */
  readonly timeout?: Duration;
  /** ISO 8601, in the place of `timeout`. */
  readonly expiresAt?: string;
  /** Default `reject`: nobody agreed. */
  readonly onTimeout?: TimeoutOutcome;
  /**
   * The time for which a yes counts, from when it was given: `15m`, or milliseconds. What has not started by then is asked about again.
   * Default: until the question expires; without a time of its own, no end.
   */
  readonly approvalLasts?: Duration;
}

/**
 * The outcome of a question that nobody answered in time: a no, the end, the answer to a question with a schema, or the
 * same question to somebody else. Nothing is ever approved by it.
 */
export type TimeoutOutcome =
  'reject' | 'cancel' | { readonly value: JsonValue } | { readonly escalate: Escalation };

/** The next one to be asked. */
export interface Escalation extends Pick<Deadline, 'timeout' | 'onTimeout'> {
  /** The name of whoever is asked then. */
  readonly to: string;
  /** More words for them. */
  readonly prompt?: string;
  /** The people whose word it takes then. Each member that is left out stays as before, `notRequester` too. */
  readonly approvers?: ApprovalPolicy;
}

/** A deadline as a question keeps it. */
export interface KeptDeadline {
  readonly timeoutMs?: number;
  readonly expiresAt?: string;
  readonly onTimeout?: OnTimeout;
  readonly approvalLastsMs?: number;
}

/**
 * Reads a deadline as it was written.
 * @throws HitlError BAD_CONFIG for a duration or a moment that is none, for both, and for an outcome without a time.
 */
export function deadlineOf({ timeout, expiresAt, onTimeout, approvalLasts }: Deadline): KeptDeadline {
  if (timeout !== undefined && expiresAt !== undefined)
    throw bad('a question has `timeout` or `expiresAt`, and not both');
  if (timeout === undefined && expiresAt === undefined && onTimeout !== undefined)
    throw bad('`onTimeout` needs a `timeout`');
  if (expiresAt !== undefined && Number.isNaN(timeOf(expiresAt)))
    throw bad(`\`expiresAt\` must be a moment as ISO 8601, got \`${expiresAt.slice(0, 40)}\``);
  return {
    ...(timeout !== undefined && { timeoutMs: readDuration('timeout', timeout) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(onTimeout !== undefined && { onTimeout: outcomeOf(onTimeout) }),
    ...(approvalLasts !== undefined && { approvalLastsMs: readDuration('approvalLasts', approvalLasts) }),
  };
}

/** The deadline with another time for which an approval counts: the shorter one is it. What cannot be read is kept, and told. */
export function lasting(deadline: Deadline, approvalLasts: Duration | undefined): Deadline {
  const before = deadline.approvalLasts;
  if (approvalLasts === undefined) return deadline;
  if (before === undefined) return { ...deadline, approvalLasts };
  const [one, other] = [millisecondsOf(before), millisecondsOf(approvalLasts)];
  return one === undefined || (other !== undefined && one <= other)
    ? deadline
    : { ...deadline, approvalLasts };
}

function outcomeOf(outcome: TimeoutOutcome): OnTimeout {
  if (typeof outcome === 'string') return { action: outcome };
  if ('value' in outcome) return { action: 'respond', output: outcome.value };
  const { to, prompt, timeout, onTimeout, approvers } = outcome.escalate;
  if (to.trim() === '') throw bad('`escalate.to` must name somebody');
  const { timeoutMs, onTimeout: next } = deadlineOf({
    ...(timeout !== undefined && { timeout }),
    ...(onTimeout !== undefined && { onTimeout }),
  });
  return {
    action: 'escalate',
    to,
    ...(prompt !== undefined && { prompt }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(next !== undefined && { onTimeout: next }),
    ...(approvers !== undefined && { approvers: standInOf(approvers) }),
  };
}

function readDuration(member: 'timeout' | 'approvalLasts', text: Duration): number {
  const ms = millisecondsOf(text);
  if (ms === undefined || ms === 0)
    throw bad(`\`${member}\` must be a duration such as 90s, 30m or 2h, got \`${text}\``);
  return Math.ceil(ms);
}

function bad(message: string): HitlError {
  return new HitlError('BAD_CONFIG', message, { hint: "such as: timeout: '30m', onTimeout: 'reject'" });
}
