import type { Message } from './message.js';
import { isSendable, toolRequestsOf } from './message.js';
import type { Part, ToolRequestPart } from './part.js';

const UNANSWERED = 'the conversation went on without a result of this call';

/**
 * Gives a history that others wrote as a model is sent it: without empty messages, and with a result for each tool
 * request, because a model API refuses a request that nothing answers (G21, G22).
 */
export function* mendedView(messages: readonly Message[]): Generator<Message, void> {
  let waiting: readonly ToolRequestPart[] = [];
  for (const message of messages) {
    if (!isSendable(message)) continue;
    const missing = waiting.filter(({ ref }) => !message.content.some((part) => isResultOf(part, ref)));
    const results = missing.map(unanswered);
    if (message.role === 'tool') yield { ...message, content: [...message.content, ...results] };
    else {
      if (results.length > 0) yield { role: 'tool', content: results };
      yield message;
    }
    waiting = message.role === 'model' ? toolRequestsOf(message) : [];
  }
  if (waiting.length > 0) yield { role: 'tool', content: waiting.map(unanswered) };
}

function isResultOf(part: Part, ref: string): boolean {
  return part.type === 'tool-response' && part.ref === ref;
}

function unanswered({ ref, name }: ToolRequestPart): Part {
  return { type: 'tool-response', ref, name, output: UNANSWERED, isError: true };
}
