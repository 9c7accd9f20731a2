import type { Message, ModelRequest, ToolResponsePart } from '../core/index.js';
import { textOf } from '../core/index.js';

/** How many replies of a model a request already holds: its position, whatever process asks. */
export function replyCount(messages: Iterable<Message>): number {
  let count = 0;
  for (const message of messages) if (message.role === 'model') count += 1;
  return count;
}

/** The text of the last user message; empty where there is none. */
export function lastUserText(messages: readonly Message[]): string {
  const message = messages.findLast(({ role }) => role === 'user');
  return message === undefined ? '' : textOf(message);
}

/** The tool results of a message. */
export function toolResponsesOf(message: Message): readonly ToolResponsePart[] {
  return message.content.filter((part) => part.type === 'tool-response');
}

/** Every tool ref that a request holds. */
export function refsOf(messages: Iterable<Message>): ReadonlySet<string> {
  const refs = new Set<string>();
  for (const message of messages) {
    for (const part of message.content) if (part.type === 'tool-request') refs.add(part.ref);
  }
  return refs;
}

/**
 * Makes refs that no call of the request has: the position of the reply, then that of the call in it.
 * The same request gives the same refs in any process.
 */
export function refMinter(request: ModelRequest): (callIndex: number) => string {
  const taken = refsOf(request.messages);
  const position = replyCount(request.messages) + 1;
  return (callIndex) => {
    const base = `call-${position}-${callIndex + 1}`;
    let ref = base;
    for (let suffix = 2; taken.has(ref); suffix += 1) ref = `${base}-${suffix}`;
    return ref;
  };
}
