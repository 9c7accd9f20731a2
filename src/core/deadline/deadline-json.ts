import { interruptId, isName } from '../ids.js';
import type { JsonObject, JsonValue } from '../json/index.js';
import { isJsonObject } from '../json/index.js';
import type { ApprovalPolicy } from '../people/index.js';
import { approversJson, readApprovers, readStandIn } from '../people/index.js';
import type { EscalatedFrom, OnTimeout } from '../interrupt.js';

/** The members of a question that are about its time, and about whom it asks. */
interface Timed {
  readonly expiresAt?: string;
  readonly onTimeout?: OnTimeout;
  readonly approvalLastsMs?: number;
  readonly escalated?: EscalatedFrom;
  readonly approvers?: ApprovalPolicy;
}

/** The levels of people that a transcript may name: each is asked when the one before did not answer. */
const MOST_LEVELS = 20;

/** Gives what comes of a question by itself, as JSON. */
export function onTimeoutJson(onTimeout: OnTimeout): JsonObject {
  if (onTimeout.action !== 'escalate') return { ...onTimeout };
  const { onTimeout: next, approvers, ...rest } = onTimeout;
  return {
    ...rest,
    ...(next !== undefined && { onTimeout: onTimeoutJson(next) }),
    ...(approvers !== undefined && { approvers: approversJson(approvers) }),
  };
}

/** Gives what a question took the place of, as JSON. */
export function escalatedJson({ approvers, ...rest }: EscalatedFrom): JsonObject {
  return { ...rest, ...(approvers !== undefined && { approvers: approversJson(approvers) }) };
}

/** Gives the time of a question, whom it asks, and what it took the place of, as JSON. */
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

/** Reads what `deadlineJson` gave; what is none of it is left out: then nobody agreed. */
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
