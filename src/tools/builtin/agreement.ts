import type { ApprovalRequest, JsonValue } from '../../core/index.js';
import { isJsonObject, jsonEquals } from '../../core/index.js';
import type { TypedToolContext } from '../defined-tool.js';
import { toJson } from '../to-json.js';

type Context = Pick<
  TypedToolContext<unknown, JsonValue | undefined, JsonValue>,
  'approved' | 'interrupt' | 'resumed'
>;

/**
 * Goes on only where a person agreed to what would happen now: the same resolved path, working directory, program and
 * diff as were shown. Otherwise it asks, with what it found. `askedBefore` tells that no call gets here without the
 * gate having asked; then an approval whose particulars are unknown counts.
 */
export function confirmStill(context: Context, now: ApprovalRequest, askedBefore: boolean): void {
  const { approved, resumed } = context;
  if (approved?.edited === true) return;
  if (approved === undefined ? askedBefore || resumed !== undefined : sameAsShown(approved.shown, now))
    return;
  const reason =
    approved === undefined ? now.reason : 'what this call would touch has changed since it was approved';
  context.interrupt(toJson({ ...now, reason }, 'the question'));
}

function sameAsShown(shown: JsonValue, now: ApprovalRequest): boolean {
  if (!isJsonObject(shown)) return false;
  return jsonEquals(shown['facts'] ?? {}, now.facts ?? {}) && (shown['diff'] ?? '') === (now.diff ?? '');
}
