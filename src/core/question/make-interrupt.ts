import { escalatedJson, onTimeoutJson } from './deadline.js';
import type { InterruptId, NodePath } from '../data/ids.js';
import type { Interrupt, InterruptDraft } from '../data/interrupt.js';
import { digestOf } from '../data/digest.js';
import type { JsonValue } from '../data/json.js';
import { isoTime, timeOf } from '../data/duration.js';
import { approversJson } from './approvers.js';
import { allowedActions } from './offers.js';

/** Completes a draft with an id, the allowed actions, and the digest of the displayed content. */
export function makeInterrupt(
  draft: InterruptDraft,
  identity: { readonly id: InterruptId; readonly path: NodePath; readonly raisedAt: string },
): Interrupt {
  const { timeoutMs, ...asked } = draft;
  const allowed = asked.allowed ?? allowedActions(asked.kind, asked.source);
  const expires = timeoutMs !== undefined && {
    expiresAt: isoTime(timeOf(identity.raisedAt) + timeoutMs),
  };
  const whole = { ...asked, ...identity, allowed, ...expires };
  return { ...whole, digest: shownDigest(whole) };
}

/** The part of an interrupt that is covered by its digest. */
type Shown = Omit<Interrupt, 'digest'>;

/** Returns a digest of everything that a question shows and that its answer covers, except times (G11). */
function shownDigest(shown: Shown): string {
  const { id, kind, path, source, payload, answerSchema, allowed, edit, inputSchema, bound } = shown;
  const { onTimeout, escalated, resumeSchema, approvers, approvalLastsMs, proposed } = shown;
  return digestOf({
    id,
    kind,
    path,
    source: { ...source },
    payload,
    allowed: [...allowed],
    ...(answerSchema !== undefined && { answerSchema }),
    ...(edit !== undefined && { edit }),
    ...(inputSchema !== undefined && { inputSchema }),
    ...(resumeSchema !== undefined && { resumeSchema }),
    ...(bound !== undefined && { bound: { ...bound } }),
    ...(onTimeout !== undefined && { onTimeout: onTimeoutJson(onTimeout) }),
    ...(escalated !== undefined && { escalated: escalatedJson(escalated) }),
    ...(approvers !== undefined && { approvers: approversJson(approvers) }),
    ...(proposed !== undefined && { proposed: { by: { ...proposed.by } } }),
    ...(approvalLastsMs !== undefined && { approvalLastsMs }),
  });
}

/** Returns the digest as version 0.1.0 computed it, which covers only the name and input of a call. */
function olderDigest({ id, kind, path, source, payload, bound }: Shown): string {
  const shown: JsonValue =
    source.type === 'tool'
      ? [id, source.ref, source.name, source.input]
      : source.type === 'node'
        ? [id, kind, path, source.nodeId, source.visit, source.phase, payload]
        : [id, kind, payload];
  return digestOf(bound === undefined ? shown : [shown, bound.run, bound.tool]);
}

/**
 * Returns how much of a question its digest covers. `older`: the question was asked by a version whose digest
 * left out some of the displayed content.
 */
export function digestCovers(interrupt: Interrupt): 'whole' | 'older' | 'none' {
  if (interrupt.digest === shownDigest(interrupt)) return 'whole';
  return interrupt.digest === olderDigest(interrupt) ? 'older' : 'none';
}
