import type { Binding, Tool } from '../core/index.js';
import { schemaDigest } from '../core/index.js';

/**
 * The things that the answer to a question holds for: this run, and the tool as it is. `undefined`: no tool is there
 * (G11).
 */
export function bindingOf(tool: Tool | undefined, runId: string): Binding {
  if (tool === undefined) return { run: runId, tool: '' };
  const { code } = tool;
  return { run: runId, tool: schemaDigest(tool), ...(code !== undefined && { code }) };
}
