import type { CallToolResult } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../src/core/index.js';
import { isHitlError } from '../../src/core/index.js';

/** The result of a tool: as JSON for a model, and as it is for a program. */
export function resultOf(value: JsonObject): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], structuredContent: value };
}

/** Tells the model what it did wrong, in place of a failed request. */
export async function told<Value>(work: () => Promise<Value>): Promise<Value | CallToolResult> {
  try {
    return await work();
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    const { code, message, hint } = thrown;
    const text = JSON.stringify({ status: 'failed', code, message, ...(hint !== undefined && { hint }) });
    return { content: [{ type: 'text', text }], isError: true };
  }
}
