import type { InterruptId, NodePath } from './ids.js';
import type { Interrupt, InterruptDraft } from './interrupt.js';
import { digestOf } from './json/json.js';
import type { JsonValue } from './json/json.js';
import { allowedActions } from './ways/index.js';

/** Completes a draft: id, allowed actions, and the digest of what will be shown. */
export function makeInterrupt(
  draft: InterruptDraft,
  identity: { readonly id: InterruptId; readonly path: NodePath; readonly raisedAt: string },
): Interrupt {
  const allowed = draft.allowed ?? allowedActions(draft.kind, draft.source);
  const whole = { ...draft, ...identity, allowed };
  return { ...whole, digest: shownDigest(whole) };
}

/** The part of an interrupt that a digest is made of. */
type Shown = Omit<Interrupt, 'digest'>;

/** Fingerprint of everything that a question shows and that its answer holds for: all of it but the times (G11). */
function shownDigest({ id, kind, path, source, payload, answerSchema, allowed, bound }: Shown): string {
  return digestOf({
    id,
    kind,
    path,
    source: { ...source },
    payload,
    allowed: [...allowed],
    ...(answerSchema !== undefined && { answerSchema }),
    ...(bound !== undefined && { bound: { ...bound } }),
  });
}

/** The digest as version 0.1.0 made it: of a call it covers name and input, and nothing else. */
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
 * Says how much of a question its digest covers: `older` where a version asked whose digest left out what was shown.
 */
export function digestCovers(interrupt: Interrupt): 'whole' | 'older' | 'none' {
  if (interrupt.digest === shownDigest(interrupt)) return 'whole';
  return interrupt.digest === olderDigest(interrupt) ? 'older' : 'none';
}
