import type { ToolDescriptor } from '../question/agent.js';
import type { Tool, ToolSet } from './tool.js';

/** Makes a set of tools; `descriptors` are what a model is told of them. Default: as the tools themselves have it. */
export function toolSetOf(tools: Iterable<Tool>, descriptors?: readonly ToolDescriptor[]): ToolSet {
  const byName = new Map(Array.from(tools, (tool) => [tool.name, tool]));
  return {
    get: (name) => byName.get(name),
    descriptors: descriptors ?? [...byName.values()],
    [Symbol.iterator]: () => byName.values(),
  };
}
