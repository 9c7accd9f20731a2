import type { JsonValue, ParseResult, Tool, ToolOutcome, ToolResult } from '../core/index.js';
import { isDeeperThan, MAX_DEPTH, returnedProblem, toWellFormed, toWellFormedJson } from '../core/index.js';
import { checked } from './checked.js';

/**
 * Turns what a tool's body returned into the outcome of its call: JSON that fits what the tool declared, or an error. At
 * once where the tool's check is.
 */
export function toolOutcome(
  tool: Tool,
  returned: JsonValue | ToolResult,
): ToolOutcome | Promise<ToolOutcome> {
  const result = readResult(tool, returned);
  // The types forbid no output at all; a decorator without a `return` does it (case 80).
  if (result === undefined) {
    return invalid(`tool \`${tool.name}\` returned nothing, or a value that is not JSON`);
  }
  const problem = returnedProblem(result);
  if (problem !== undefined) return invalid(`what the tool returned does not fit: ${problem}`);
  if (isDeeperThan(result.output, MAX_DEPTH))
    return invalid(`the tool's output is more than ${MAX_DEPTH} levels deep`); // G8
  const parsed = checked(() => tool.parseOutput(result.output));
  return parsed instanceof Promise
    ? parsed.then((later) => outcomeOf(later, result))
    : outcomeOf(parsed, result);
}

function outcomeOf(parsed: ParseResult, { content, metadata }: ToolResult): ToolOutcome {
  if (!parsed.ok) return invalid(`the tool's output does not fit its schema: ${parsed.issues.join('; ')}`);
  return { type: 'output', output: parsed.value, ...(content && { content }), ...(metadata && { metadata }) };
}

/** Reads what was returned as JSON; `undefined` where it is none. */
function readResult(tool: Tool, returned: JsonValue | ToolResult): ToolResult | undefined {
  if (isMultipart(tool, returned)) {
    const result = jsonCopy(returned);
    return result !== undefined && Object.hasOwn(result, 'output') ? result : undefined;
  }
  const output = jsonCopy(returned);
  return output === undefined ? undefined : { output };
}

function invalid(message: string): ToolOutcome {
  return { type: 'error', code: 'invalid-output', message };
}

function isMultipart(tool: Tool, returned: JsonValue | ToolResult): returned is ToolResult {
  if (tool.multipart !== true || typeof returned !== 'object' || returned === null) return false;
  return Object.hasOwn(returned, 'output');
}

/**
 * A copy that owns nothing of the tool's, its texts made well formed where they enter (G8). `undefined` where the value
 * cannot be JSON: cycles, a BigInt.
 */
function jsonCopy<T extends JsonValue | ToolResult>(value: T): T | undefined;
function jsonCopy(value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string') return toWellFormed(value);
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : null; // JSON has one zero, and no more than numbers
  try {
    return toWellFormedJson(readJson(JSON.stringify(value)));
  } catch {
    return undefined; // the caller says so
  }
}

/** Parses JSON text; the result is JSON by definition. */
function readJson(text: string): JsonValue;
function readJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return value;
}
