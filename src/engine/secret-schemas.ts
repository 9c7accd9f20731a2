import type { Interrupt, SecretSchemas, ToolSet } from '../core/index.js';

/** What says where the secrets of an answer to a question stand: the question, and the tool that it is about. */
export function secretSchemas(interrupt: Interrupt, tools: ToolSet): SecretSchemas {
  const tool = interrupt.source.type === 'tool' ? tools.get(interrupt.source.name) : undefined;
  return { interrupt, input: tool?.inputSchema, resumed: tool?.resumeSchema };
}
