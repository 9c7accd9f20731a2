import type { JsonValue, Tool, ToolOutcome, ToolResult } from '../core/index.js';
import { isDeeperThan, MAX_DEPTH, toWellFormed, toWellFormedJson } from '../core/index.js';
import { checked } from './checked.js';

/** What a tool's body returned, as the outcome of its call: JSON that fits what the tool declared, or an error. */
export async function toolOutcome(tool: Tool, returned: JsonValue | ToolResult): Promise<ToolOutcome> {
  const result = jsonCopy(isMultipart(tool, returned) ? returned : { output: returned });
  // The types forbid no output at all; a decorator without a `return` does it (case 80).
  if (result === undefined || !Object.hasOwn(result, 'output')) {
    return invalid(`tool \`${tool.name}\` returned nothing, or a value that is not JSON`);
  }
  const { output, content, metadata } = result;
  if (isDeeperThan(output, MAX_DEPTH))
    return invalid(`the tool's output is more than ${MAX_DEPTH} levels deep`); // G8
  const parsed = await checked(() => tool.parseOutput(toWellFormedJson(output)));
  if (!parsed.ok) return invalid(`the tool's output does not fit its schema: ${parsed.issues.join('; ')}`);
  return { type: 'output', output: parsed.value, ...(content && { content }), ...(metadata && { metadata }) };
}

function invalid(message: string): ToolOutcome {
  return { type: 'error', code: 'invalid-output', message };
}

function isMultipart(tool: Tool, returned: JsonValue | ToolResult | undefined): returned is ToolResult {
  if (tool.multipart !== true || typeof returned !== 'object' || returned === null) return false;
  return Object.hasOwn(returned, 'output');
}

/** A copy that owns nothing of the tool's. `undefined` where the value cannot be JSON: cycles, a BigInt. */
function jsonCopy<T>(value: T): T | undefined;
function jsonCopy(value: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(value, wellFormed));
    return copy;
  } catch {
    return undefined; // the caller says so
  }
}

/** G8: text that no file and no provider takes is made well formed where it enters. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? toWellFormed(value) : value;
}
