import type { JsonValue, Tool, ToolContext, ToolResult } from '../core/index.js';
import { HitlError } from '../core/index.js';

/**
 * Runs around a tool's body, also when it is restarted (case 59). It may interrupt, return something else, or call
 * `next` for what is inside. It cannot change the input: what a person was shown is what runs (G12).
 */
export type ToolHook = (
  input: JsonValue,
  context: ToolContext,
  next: () => Promise<JsonValue | ToolResult>,
) => Promise<JsonValue | ToolResult>;

/** The tool with a hook around its body; the hook that was put on last runs first. */
export function wrapTool<Wrapped extends Tool>(tool: Wrapped, hook: ToolHook): Wrapped {
  return {
    ...tool,
    async execute(input: JsonValue, context: ToolContext) {
      const result: unknown = await hook(input, context, () => tool.execute(input, context));
      if (isReturned(result)) return result;
      const name = hook.name === '' ? 'a hook' : `hook \`${hook.name}\``;
      throw new HitlError('TOOL_FAILED', `${name} around tool \`${tool.name}\` returned nothing`, {
        hint: 'return what `next()` gives, or an output of its own; `null` is one',
      });
    },
  };
}

/** The types forbid a hook without a result; JavaScript does not (case 80). */
function isReturned(result: unknown): result is JsonValue | ToolResult {
  return result !== undefined;
}
