import type { ToolDescriptor } from '../question/agent.js';
import type { Tool, ToolSet } from './tool.js';

/** Creates a set of tools; `descriptors` are what a model sees. Default: the tools' own. */
export function toolSetOf(tools: Iterable<Tool>, descriptors?: readonly ToolDescriptor[]): ToolSet {
  const byName = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  return {
    get: (name) => byName.get(name),
    descriptors: descriptors ?? [...byName.values()],
    [Symbol.iterator]: () => byName.values(),
  };
}
