import type { InterruptKind, InterruptSource } from '../interrupt.js';
import type { JsonValue } from '../json/index.js';
import { isJsonObject } from '../json/index.js';

/** An interrupt, as far as it says what it brings. */
interface Bringing {
  readonly kind: InterruptKind;
  readonly source: { readonly type: InterruptSource['type']; readonly operation?: string };
  readonly payload: JsonValue;
}

/**
 * Gives what a person is shown of what an interrupt brings: a gate of a workflow without the fingerprints by which the
 * program knows again what was agreed to. The digest of the question has them.
 */
export function shownPayload({ kind, source, payload }: Bringing): JsonValue {
  if (kind !== 'gate' || source.type !== 'node' || !isJsonObject(payload)) return payload;
  const { stateDigest: _state, ...agreed } = payload;
  if (source.operation === undefined) return agreed;
  const { plan: _plan, ...shown } = agreed;
  return shown;
}
