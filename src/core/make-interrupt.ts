import type { InterruptId, NodePath } from './ids.js';
import type { Binding, Interrupt, InterruptDraft } from './interrupt.js';
import { digestOf } from './json/json.js';
import type { JsonValue } from './json/json.js';
import { allowedActions } from './ways/index.js';

/** Completes a draft: id, allowed actions, and the digest of what will be shown. */
export function makeInterrupt(
  draft: InterruptDraft,
  identity: { readonly id: InterruptId; readonly path: NodePath; readonly raisedAt: string },
): Interrupt {
  const { source, kind, payload } = draft;
  const shown: JsonValue =
    source.type === 'tool'
      ? [identity.id, source.ref, source.name, source.input]
      : source.type === 'node'
        ? [identity.id, kind, identity.path, source.nodeId, source.visit, source.phase, payload]
        : [identity.id, kind, payload];
  return {
    ...draft,
    ...identity,
    allowed: draft.allowed ?? allowedActions(kind, source),
    digest: boundDigest(shown, draft.bound),
  };
}

function boundDigest(shown: JsonValue, bound: Binding | undefined): string {
  return digestOf(bound === undefined ? shown : [shown, bound.run, bound.tool]);
}
