import type { Tool, ToolDescriptor, ToolSet } from '../core/index.js';
import { describeTool, HitlError } from '../core/index.js';

import { shortName } from './tool-name.js';

/**
 * The tools of one agent, by the names that the model sees.
 * @throws HitlError DUPLICATE_TOOL where two tools have one such name.
 */
export function toolSet(tools: Iterable<Tool>): ToolSet {
  const byName = new Map<string, Tool>();
  for (const given of tools) {
    const tool = withShortName(given);
    const other = byName.get(tool.name);
    if (other !== undefined) throw duplicate(tool.name, other, given);
    byName.set(tool.name, tool);
  }
  const descriptors: readonly ToolDescriptor[] = [...byName.values()].map(describeTool);
  return {
    get: (name) => byName.get(name),
    descriptors,
    [Symbol.iterator]: () => byName.values(),
  };
}

function withShortName(tool: Tool): Tool {
  const name = shortName(tool.name);
  return name === tool.name ? tool : { ...tool, name };
}

function duplicate(name: string, first: Tool, second: Tool): HitlError {
  return new HitlError(
    'DUPLICATE_TOOL',
    `two tools are called \`${name}\`: ${named(first)} and ${named(second)}`,
    {
      hint: 'rename one of them, or leave one out; a namespace before `/` does not tell tools apart for a model',
      detail: { name, origins: [first.origin, second.origin] },
    },
  );
}

function named(tool: Tool): string {
  const qualified =
    'qualifiedName' in tool && typeof tool.qualifiedName === 'string' ? tool.qualifiedName : tool.name;
  return `\`${qualified}\` (${tool.origin})`;
}
