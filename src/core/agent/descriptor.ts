import type { ToolDescriptor } from './agent.js';
import type { JsonValue } from '../json/index.js';
import { digestOf } from '../json/index.js';

/** The descriptor of a tool without its code. */
export function describeTool(tool: ToolDescriptor): ToolDescriptor {
  const { name, description, inputSchema, outputSchema, effect, origin, restartable, code, mcp } = tool;
  return {
    name,
    description,
    inputSchema,
    ...(outputSchema && { outputSchema }),
    effect,
    origin,
    restartable,
    ...(code !== undefined && { code }),
    ...(mcp && { mcp }),
  };
}

/** Fingerprint of what a tool takes, gives and does: an approval is void for a tool that differs in one of them (G11). */
export function schemaDigest({ name, inputSchema, outputSchema, effect, mcp }: ToolDescriptor): string {
  return digestOf([name, inputSchema, outputSchema ?? null, effect, ...(mcp ? [{ ...mcp }] : [])]);
}

/** Fingerprint of what a tool is: a rule or an approval for a tool that has changed is void. */
export function toolDigest(tool: ToolDescriptor): string {
  const { name, description, inputSchema, outputSchema, effect, origin, code, mcp } = tool;
  const parts: JsonValue = [
    name,
    description,
    inputSchema,
    outputSchema ?? null,
    effect,
    origin,
    ...(code === undefined ? [] : [{ code }]),
    ...(mcp ? [{ ...mcp }] : []),
  ];
  return digestOf(parts);
}
