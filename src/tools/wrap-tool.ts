import type { JsonValue, Tool, ToolContext, ToolResult } from '../core/index.js';
import { HitlError, isInterrupt } from '../core/index.js';

/**
 * Runs around the body of a tool, including when the tool is restarted (case 59). A hook may interrupt,
 * return a different result, or call `next`, which it may call again after a failure. It cannot change the
 * input, so the call runs exactly as shown (G12). If the body asks a person, `next` throws an error for which
 * `isInterrupt` is true. Rethrow that error.
 */
export type ToolHook = (
  input: JsonValue,
  context: ToolContext,
  next: () => Promise<JsonValue | ToolResult>,
) => Promise<JsonValue | ToolResult>;

/**
 * Wraps a tool in a hook. Of several hooks, the one added last runs first. After the tool's body has asked a
 * person, it does not run again until they answer, even if the hook calls `next` again.
 */
export function wrapTool<Wrapped extends Tool>(tool: Wrapped, hook: ToolHook): Wrapped {
  return {
    ...tool,
    async execute(input: JsonValue, context: ToolContext) {
      const name = hook.name === '' ? 'a hook' : `hook \`${hook.name}\``;
      let hasAsked = false;
      const result: unknown = await hook(input, context, async () => {
        if (hasAsked) throw askedAlready(name, tool);
        try {
          return await tool.execute(input, context);
        } catch (thrown) {
          hasAsked = isInterrupt(thrown);
          throw thrown;
        }
      });
      if (isReturned(result)) return result;
      throw new HitlError('TOOL_FAILED', `${name} around tool \`${tool.name}\` returned nothing`, {
        hint: 'return the result of `next()`, or its own output (`null` is allowed)',
      });
    },
  };
}

function askedAlready(name: string, tool: Tool): HitlError {
  const message = `${name} called \`next()\` again after tool \`${tool.name}\` had asked a question`;
  return new HitlError('TOOL_FAILED', message, {
    hint: 'rethrow the errors that `isInterrupt` recognizes; the tool runs again after the answer',
  });
}

/**
 * Whether a hook returned a result. The types require one, but JavaScript does not enforce that (case 80).
 */
function isReturned(result: unknown): result is JsonValue | ToolResult {
  return result !== undefined;
}
