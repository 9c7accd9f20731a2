import type { Tool, ToolDescriptor, ToolSet } from '../core/index.js';
import { describeTool, HitlError, toolSetOf } from '../core/index.js';

import { shortName } from './tool-name.js';
import { isTool } from './tool-shape.js';

/**
 * Creates the tool set of an agent. Tools are found by the name that the model sees.
 * @throws HitlError DUPLICATE_TOOL if two tools have the same name, BAD_CONFIG for an invalid tool.
 */
export function toolSet(tools: Iterable<Tool>): ToolSet {
  const byName = new Map<string, Tool>();
  for (const given of checkedTools(tools)) {
    const tool = withShortName(given);
    const other = byName.get(tool.name);
    if (other !== undefined) throw duplicate(tool.name, other, given);
    byName.set(tool.name, tool);
  }
  const descriptors: readonly ToolDescriptor[] = [...byName.values()].map(describeTool);
  return toolSetOf(byName.values(), descriptors);
}

/**
 * Checks the tools that JavaScript callers pass, because an invalid tool would otherwise fail only during a
 * run.
 */
function checkedTools(tools: Iterable<Tool>): readonly Tool[] {
  const given: unknown = tools;
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given))
    throw new HitlError('BAD_CONFIG', 'tools must be a list', { hint: MAKE });
  const all = [...tools];
  const index = all.findIndex((tool) => !isTool(tool));
  if (index !== -1)
    throw new HitlError('BAD_CONFIG', `not a valid tool: number ${index + 1} in the list`, { hint: MAKE });
  return all;
}

const MAKE = 'make each with `defineTool` or `defineInterrupt`';

function withShortName(tool: Tool): Tool {
  const name = shortName(tool.name);
  return name === tool.name ? tool : { ...tool, name };
}

function duplicate(name: string, first: Tool, second: Tool): HitlError {
  return new HitlError(
    'DUPLICATE_TOOL',
    `duplicate tool name \`${name}\`: ${named(first)} and ${named(second)}`,
    {
      hint: 'rename or remove one; models do not see the namespace before `/`',
      detail: { name, origins: [first.origin, second.origin] },
    },
  );
}

function named(tool: Tool): string {
  const qualified =
    'qualifiedName' in tool && typeof tool.qualifiedName === 'string' ? tool.qualifiedName : tool.name;
  return `\`${qualified}\` (${tool.origin})`;
}
