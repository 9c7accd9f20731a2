import type { Message, ModelRequest, ToolResponsePart } from '../core/index.js';

/**
 * Counts the model replies in a request. The count serves as the request's position, because it is the same
 * in every process.
 */
export function replyCount(messages: Iterable<Message>): number {
  let count = 0;
  for (const message of messages) if (message.role === 'model') count += 1;
  return count;
}

/** Returns the tool results in a message. */
export function toolResponsesOf(message: Message): readonly ToolResponsePart[] {
  return message.content.filter((part) => part.type === 'tool-response');
}

function hasRef(messages: Iterable<Message>, ref: string): boolean {
  for (const { content } of messages) {
    if (content.some((part) => part.type === 'tool-request' && part.ref === ref)) return true;
  }
  return false;
}

/**
 * Returns a function that creates refs not yet used in the request. Refs are derived from the positions of
 * the reply and the call, so they are the same in every process.
 */
export function refMinter({ messages }: ModelRequest): (callIndex: number) => string {
  return (callIndex) => {
    const base = `call-${replyCount(messages) + 1}-${callIndex + 1}`;
    let ref = base;
    for (let suffix = 2; hasRef(messages, ref); suffix += 1) ref = `${base}-${suffix}`;
    return ref;
  };
}
