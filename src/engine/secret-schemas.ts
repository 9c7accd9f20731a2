import type { Interrupt, SecretSchemas, ToolSet } from '../core/index.js';

/** The schemas that say where the secrets of an answer stand: of the question, and of the tool that it is about. */
export function secretSchemas(interrupt: Interrupt, tools: ToolSet): SecretSchemas {
  const tool = interrupt.source.type === 'tool' ? tools.get(interrupt.source.name) : undefined;
  return { interrupt, input: tool?.inputSchema, resumed: tool?.resumeSchema };
}
