import { schemaProblem } from '../data/fits-schema.js';
import type { Interrupt, OnTimeout, ApprovalPolicy } from '../data/interrupt.js';
import { jsonEquals, isJson } from '../data/json.js';
import type { Resolution } from '../data/resolution.js';
import { durationText, timeOf } from '../data/duration.js';
import { isForNobody, neededBy, succeeding } from '../question/approvers.js';
import { isActor } from '../data/actor-name.js';
import { interruptProblem } from './check-answer.js';
import type { SessionEvent } from '../state/event.js';
import { validUntil } from '../question/terms.js';

/** Returns the reason that a timeout outcome is invalid for a question, or `undefined` if it is valid. */
export function timeoutProblem(
  { kind, answerSchema, approvers }: Pick<Interrupt, 'kind' | 'answerSchema' | 'approvers'>,
  onTimeout: OnTimeout | undefined,
): string | undefined {
  if (onTimeout?.action === 'escalate') {
    const next = succeeding(approvers, onTimeout.approvers);
    if (next !== undefined && isForNobody(next) && !isForNobody(approvers ?? {}))
      return tooFew(onTimeout.to, { ...approvers, ...onTimeout.approvers });
    const rest = { kind, ...(answerSchema && { answerSchema }), ...(next && { approvers: next }) };
    return timeoutProblem(rest, onTimeout.onTimeout);
  }
  if (onTimeout?.action !== 'respond') return undefined;
  if (kind !== 'question')
    return `a timeout cannot answer this ${kind}; use \`reject\`, \`cancel\` or \`escalate\``;
  if (approvers !== undefined) return 'a timeout cannot answer a question with required approvers';
  if (answerSchema === undefined) return 'a value for `onTimeout` requires an answer schema';
  const why = schemaProblem(onTimeout.output, answerSchema);
  return why === undefined ? undefined : `the value for \`onTimeout\` is invalid: ${why}`;
}

function tooFew(to: string, { from = [], ...policy }: ApprovalPolicy): string {
  return `too few approvers after escalation to \`${to}\`: ${neededBy(policy)} needed, \`from\` lists ${from.length}; list more, or set \`need\` as well`;
}

/**
 * Returns the decision that applies when a question times out: a valid value, a rejection or a cancellation,
 * but never an approval.
 */
export function expiredResolution(interrupt: Interrupt): Resolution {
  const { onTimeout, allowed, kind, source } = interrupt;
  if (onTimeout?.action === 'respond' && timeoutProblem(interrupt, onTimeout) === undefined)
    return { action: 'respond', output: onTimeout.output };
  // What is rejected behind a node is asked about again: time would never end it.
  const isBehind = kind === 'gate' && source.type === 'node' && source.phase === 'after';
  const isNo = onTimeout?.action !== 'cancel' && allowed.includes('reject') && !isBehind;
  const action = isNo ? 'reject' : 'cancel';
  return { action, reason: `nobody answered in time${timeGiven(interrupt)}` };
}

function timeGiven({ raisedAt, expiresAt = '' }: Interrupt): string {
  const ms = timeOf(expiresAt) - timeOf(raisedAt);
  return ms > 0 ? ` (${durationText(ms)})` : '';
}

/**
 * Whether a question has expired at a time, in milliseconds since 1970. A deadline that cannot be parsed is
 * treated as expired.
 */
export function isExpired({ expiresAt }: Interrupt, now: number): boolean {
  return expiresAt !== undefined && !(timeOf(expiresAt) > now);
}

/**
 * Returns the reason that a decision attributed to a timeout is invalid, or `undefined` if it matches the
 * question's `onTimeout`.
 */
function clockProblem(
  interrupt: Interrupt,
  {
    resolution,
    digest,
    resolvedAt,
  }: { readonly resolution: Resolution; readonly digest: string; readonly resolvedAt: string },
): string | undefined {
  if (digest !== interrupt.digest) return 'it answers a different question';
  if (!isExpired(interrupt, timeOf(resolvedAt))) return `\`${interrupt.id}\` has not timed out`;
  if (interrupt.onTimeout?.action === 'escalate') return `\`${interrupt.id}\` is escalated when it times out`;
  const due = expiredResolution(interrupt);
  return isJson(resolution) && isJson(due) && jsonEquals(resolution, due)
    ? undefined
    : `the timeout answer to \`${interrupt.id}\` must be \`${due.action}\`, not \`${resolution.action}\``;
}

/**
 * Returns the reason that a decision is invalid for the open question, or `undefined` if it is valid. A
 * timeout decision must match the question's `onTimeout`.
 */
export function decisionProblem(
  interrupt: Interrupt,
  decided: SessionEvent & { type: 'interrupt-resolved' },
): string | undefined {
  const { by, resolvedAt: at, resolution, validUntil: until } = decided;
  if (isActor(by) && by.type === 'clock') return clockProblem(interrupt, decided);
  const why = interruptProblem(interrupt, decided)?.message;
  // Older versions gave a yes no end, and say none.
  if (why !== undefined || until === undefined) return why;
  const due = validUntil(interrupt, { action: resolution.action, by, at });
  const isShorter = due !== undefined && timeOf(until) < timeOf(due); // it was said before it was journaled
  return due === until || isShorter
    ? undefined
    : `the answer's expiry is wrong: expected ${due ?? 'none'}, got ${until}`;
}
