import type { ApprovalRequest, JsonValue } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';
import type { TypedToolContext } from '../defined-tool.js';
import { toJson } from '../to-json.js';

type Context = Pick<TypedToolContext<unknown, JsonValue | undefined, JsonValue>, 'approved' | 'interrupt'>;

/**
 * Continues only if the user was shown exactly what would happen now: the same resolved path, working
 * directory, program, diff and warnings. Otherwise asks again with the current details (G11, G12). Also asks
 * if the user edited the input, because its effect was not known until now.
 */
export function confirmStill(context: Context, now: ApprovalRequest): void {
  const { approved } = context;
  if (approved !== undefined && coversNow(approved.shown, now)) return;
  context.interrupt(toJson({ ...now, ...reasonOf(approved, now) }, 'the question'));
}

function reasonOf(approved: Context['approved'], { reason }: ApprovalRequest): ApprovalRequest {
  if (approved === undefined) return reason === undefined ? {} : { reason };
  if (approved.edited) return { reason: 'Check what your edited input would do' };
  return { reason: 'The target changed after you approved; check again' };
}

/**
 * Whether the details that the user was shown cover the current request. They may include more, because a
 * decorator of the tool may add its own details.
 */
function coversNow(shown: JsonValue, now: ApprovalRequest): boolean {
  if (!isJsonObject(shown) || (shown['diff'] ?? '') !== (now.diff ?? '')) return false;
  const { facts, warnings } = shown;
  return (
    Object.entries(now.facts ?? {}).every(([name, fact]) => isJsonObject(facts) && facts[name] === fact) &&
    (now.warnings ?? []).every((warning) => Array.isArray(warnings) && warnings.includes(warning))
  );
}
