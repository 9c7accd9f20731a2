import type { ApprovalRequest, JsonValue } from '../../core/index.js';
import { isJsonObject } from '../../core/index.js';
import type { TypedToolContext } from '../defined-tool.js';
import { toJson } from '../to-json.js';

type Context = Pick<TypedToolContext<unknown, JsonValue | undefined, JsonValue>, 'approved' | 'interrupt'>;

/**
 * Goes on only where a person was shown what would happen now: the same resolved path, working directory, program,
 * diff and warnings. Otherwise it asks, with what it found (G11, G12), also where the person wrote the input: what
 * that input would do is known only here.
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
 * True where what was shown covers what is asked now. It may hold more: a decorator of the tool adds facts of its own.
 */
function coversNow(shown: JsonValue, now: ApprovalRequest): boolean {
  if (!isJsonObject(shown) || (shown['diff'] ?? '') !== (now.diff ?? '')) return false;
  const { facts, warnings } = shown;
  return (
    Object.entries(now.facts ?? {}).every(([name, fact]) => isJsonObject(facts) && facts[name] === fact) &&
    (now.warnings ?? []).every((warning) => Array.isArray(warnings) && warnings.includes(warning))
  );
}
