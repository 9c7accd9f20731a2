import { HitlError } from '../data/errors.js';
import type { JsonValue, JsonObject } from '../data/json.js';
import { isJsonObject } from '../data/json.js';
import type { Duration } from '../data/duration.js';
import { millisecondsOf, timeOf } from '../data/duration.js';
import type { ApprovalPolicy, OnTimeout, EscalatedFrom } from '../data/interrupt.js';
import {
  standInOf,
  approversJson,
  readApprovers,
  readStandIn,
  standInWith,
  succeeding,
} from './approvers.js';
import { interruptId, isName } from '../data/ids.js';
import type { Approvable } from './approvers.js';
import type { Option, OptionTable } from '../data/option-table.js';
import { DURATION, OBJECT, TEXT } from '../data/option-table.js';

/** An answer's time limit, and the outcome when it ends. */
export interface Deadline {
  /**
   * Time limit, counted from when the question is asked: `90s`, `30m`, `2h`, or milliseconds. Default: none.
   */
  readonly timeout?: Duration;
  /** Time at which the limit ends, ISO 8601. Used instead of `timeout`. */
  readonly expiresAt?: string;
  /** Default `reject`. */
  readonly onTimeout?: TimeoutOutcome;
  /**
   * How long an approval is valid, counted from the answer: `15m`, or milliseconds. If the call has not
   * started by then, it needs a new approval. Default: until the question expires, or indefinitely if there
   * is no time limit.
   */
  readonly approvalLasts?: Duration;
}

/**
 * The outcome for a question that is not answered in time: rejection, cancellation, a value that matches a
 * schema, or escalation. It never approves.
 */
export type TimeoutOutcome =
  | 'reject'
  | 'cancel'
  | { readonly value: JsonValue }
  | { readonly escalate: Escalation };

/** The next person to ask, and their time limit. */
export interface Escalation extends Pick<Deadline, 'timeout' | 'onTimeout'> {
  /** That person's name. */
  readonly to: string;
  /** Additional text. */
  readonly prompt?: string;
  /** The approvers after the escalation. Omitted properties stay unchanged, including `notRequester`. */
  readonly approvers?: ApprovalPolicy;
}

/** A deadline as stored with a question. */
export interface KeptDeadline {
  readonly timeoutMs?: number;
  readonly expiresAt?: string;
  readonly onTimeout?: OnTimeout;
  readonly approvalLastsMs?: number;
}

/**
 * Parses a deadline.
 * @throws HitlError BAD_CONFIG if a duration or time is invalid, if both `timeout` and `expiresAt` are set,
 * or if an outcome is set without a time limit.
 */
export function deadlineOf({ timeout, expiresAt, onTimeout, approvalLasts }: Deadline): KeptDeadline {
  if (timeout !== undefined && expiresAt !== undefined)
    throw bad('`timeout` and `expiresAt` cannot be used together');
  if (timeout === undefined && expiresAt === undefined && onTimeout !== undefined)
    throw bad('`onTimeout` needs a `timeout`');
  if (expiresAt !== undefined && Number.isNaN(timeOf(expiresAt)))
    throw bad(`\`expiresAt\` must be an ISO 8601 timestamp, got \`${expiresAt.slice(0, 40)}\``);
  return {
    ...(timeout !== undefined && { timeoutMs: readDuration('timeout', timeout) }),
    ...(expiresAt !== undefined && { expiresAt }),
    ...(onTimeout !== undefined && { onTimeout: outcomeOf(onTimeout) }),
    ...(approvalLasts !== undefined && { approvalLastsMs: readDuration('approvalLasts', approvalLasts) }),
  };
}

/**
 * Limits the validity of an approval to the given duration. Keeps the deadline's own value if it cannot be
 * parsed, so that the error is reported later.
 */
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
  if (to.trim() === '') throw bad('`escalate.to` must not be empty');
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
  return new HitlError('BAD_CONFIG', message, { hint: "for example: timeout: '30m', onTimeout: 'reject'" });
}

/** The properties of a question that concern its time limit and approvers. */
interface Timed {
  readonly expiresAt?: string;
  readonly onTimeout?: OnTimeout;
  readonly approvalLastsMs?: number;
  readonly escalated?: EscalatedFrom;
  readonly approvers?: ApprovalPolicy;
}

/** Maximum number of escalations in a chain read from a transcript. */
const MOST_LEVELS = 20;

/** Converts a timeout outcome to JSON. */
export function onTimeoutJson(onTimeout: OnTimeout): JsonObject {
  if (onTimeout.action !== 'escalate') return { ...onTimeout };
  const { onTimeout: next, approvers, ...rest } = onTimeout;
  return {
    ...rest,
    ...(next !== undefined && { onTimeout: onTimeoutJson(next) }),
    ...(approvers !== undefined && { approvers: approversJson(approvers) }),
  };
}

/** Converts an escalation's origin to JSON. */
export function escalatedJson({ approvers, ...rest }: EscalatedFrom): JsonObject {
  return { ...rest, ...(approvers !== undefined && { approvers: approversJson(approvers) }) };
}

/** Converts a question's deadline, approvers and escalation origin to JSON. */
export function deadlineJson({
  expiresAt,
  onTimeout,
  approvalLastsMs,
  escalated,
  approvers,
}: Timed): JsonObject {
  return {
    ...(expiresAt !== undefined && { expiresAt }),
    ...(onTimeout !== undefined && { onTimeout: onTimeoutJson(onTimeout) }),
    ...(approvalLastsMs !== undefined && { approvalLastsMs }),
    ...(escalated !== undefined && { escalated: escalatedJson(escalated) }),
    ...(approvers !== undefined && { approvers: approversJson(approvers) }),
  };
}

/** Reads the output of `deadlineJson`. Invalid parts are dropped and never lead to an approval. */
export function readDeadline({
  expiresAt,
  onTimeout,
  approvalLastsMs,
  escalated,
  approvers,
}: JsonObject): Timed {
  const outcome = readOnTimeout(onTimeout, 0);
  const from = readEscalated(escalated);
  const people = readApprovers(approvers);
  return {
    ...(typeof expiresAt === 'string' && { expiresAt }),
    ...(outcome !== undefined && { onTimeout: outcome }),
    ...(typeof approvalLastsMs === 'number' && approvalLastsMs > 0 && { approvalLastsMs }),
    ...(from !== undefined && { escalated: from }),
    ...(people !== undefined && { approvers: people }),
  };
}

function readOnTimeout(said: JsonValue | undefined, level: number): OnTimeout | undefined {
  if (said === undefined || !isJsonObject(said) || level >= MOST_LEVELS) return undefined;
  const { action, output, to, prompt, timeoutMs, onTimeout, approvers } = said;
  if (action === 'reject' || action === 'cancel') return { action };
  if (action === 'respond') return output === undefined ? undefined : { action, output };
  if (action !== 'escalate' || typeof to !== 'string') return undefined;
  const next = readOnTimeout(onTimeout, level + 1);
  return {
    action,
    to,
    ...(typeof prompt === 'string' && { prompt }),
    ...(typeof timeoutMs === 'number' && timeoutMs > 0 && { timeoutMs }),
    ...(next !== undefined && { onTimeout: next }),
    ...(approvers !== undefined && { approvers: readStandIn(approvers) }),
  };
}

function readEscalated(said: JsonValue | undefined): Timed['escalated'] {
  if (said === undefined || !isJsonObject(said)) return undefined;
  const { id, to, prompt, approvers } = said;
  if (typeof id !== 'string' || !isName(id) || typeof to !== 'string') return undefined;
  return {
    id: interruptId(id),
    to,
    ...(typeof prompt === 'string' && { prompt }),
    ...(approvers !== undefined && { approvers: readApprovers(approvers) ?? {} }),
  };
}

/** Adds required approvers to every escalation. */
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

/**
 * Removes default answers from the timeout outcome of a question with required approvers, and adds these
 * approvers to its escalations.
 */
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

/** Returns the approvers for each escalation in the chain. An empty policy means anyone. */
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

const OUTCOME: Option = {
  words: "'reject', 'cancel', `{ value }` or `{ escalate }`",
  fits: (value) =>
    value === 'reject' ||
    value === 'cancel' ||
    (isJsonObject(value) && 'value' in value !== isJsonObject(value['escalate'])),
};

/**
 * The options for the deadline and approvers of a question. The properties of object values are checked when
 * they are parsed.
 */
export const DEADLINE_OPTIONS: OptionTable<Deadline & Approvable> = {
  timeout: DURATION,
  expiresAt: TEXT,
  onTimeout: OUTCOME,
  approvalLasts: DURATION,
  approvers: OBJECT,
};
