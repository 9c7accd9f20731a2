import type { Tool, ToolDescriptor, ToolSet } from '../../src/core/index.js';
import { describeTool } from '../../src/core/index.js';

/**
 * The tools of a session with those of its servers, which may come late and may change: whoever asks gets them as they
 * are. A tool of our own keeps its name. `guarded` puts a tool under rules; it is called once for each.
 */
export function withServerTools(
  own: ToolSet,
  served: () => readonly Tool[],
  guarded: (tool: Tool) => Tool,
): ToolSet {
  const known = new WeakMap<Tool, Tool>();
  const described = new WeakMap<Tool, ToolDescriptor>();
  const guardedOnce = (tool: Tool): Tool => kept(known, tool, guarded);
  const theirs = (): readonly Tool[] =>
    served().flatMap((tool) => (own.get(tool.name) === undefined ? [guardedOnce(tool)] : []));
  return {
    get: (name) => own.get(name) ?? theirs().find((tool) => tool.name === name),
    get descriptors() {
      return [...own.descriptors, ...theirs().map((tool) => kept(described, tool, describeTool))];
    },
    *[Symbol.iterator]() {
      yield* own;
      yield* theirs();
    },
  };
}

function kept<Made extends object>(known: WeakMap<Tool, Made>, tool: Tool, make: (tool: Tool) => Made): Made {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const made = make(tool);
  known.set(tool, made);
  return made;
}
