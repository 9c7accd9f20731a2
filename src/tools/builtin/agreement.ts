import type { ApprovalRequest, JsonValue } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';
import type { TypedToolContext } from '../defined-tool.js';
import { toJson } from '../to-json.js';

type Context = Pick<TypedToolContext<unknown, JsonValue | undefined, JsonValue>, 'approved' | 'interrupt'>;

/**
 * Goes on only where a person agreed to what would happen now: the same resolved path, working directory, program and
 * diff as were shown. Otherwise it asks, with what it found (G11). An input that the person wrote needs no comparison.
 */
export function confirmStill(context: Context, now: ApprovalRequest): void {
  const { approved } = context;
  if (approved?.edited === true) return;
  if (approved !== undefined && coversNow(approved.shown, now)) return;
  const reason =
    approved === undefined ? now.reason : 'what this call would touch has changed since it was approved';
  context.interrupt(toJson({ ...now, reason }, 'the question'));
}

/** What was shown may hold more: a decorator of the tool adds facts of its own. */
function coversNow(shown: JsonValue, now: ApprovalRequest): boolean {
  if (!isJsonObject(shown) || (shown['diff'] ?? '') !== (now.diff ?? '')) return false;
  const facts = shown['facts'];
  return Object.entries(now.facts ?? {}).every(([name, fact]) => isJsonObject(facts) && facts[name] === fact);
}
