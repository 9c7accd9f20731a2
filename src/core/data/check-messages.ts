import type { JsonValue } from './json.js';
import type { Message, Part, ToolRequestPart } from './message.js';
import { toolRequestsOf } from './message.js';
import { hasLoneSurrogate } from './well-formed.js';

/** A problem that a model API would reject (G19). */
export interface MessageProblem {
  /** Index of the message. */
  readonly at: number;
  readonly message: string;
}

/** Excludes `__proto__`, which cannot name a property of an object. */
const LEGAL_NAME = /^(?!__proto__$)[a-zA-Z0-9_-]{1,64}$/;

/** Whether every provider accepts this tool name (G19). */
export function isLegalToolName(name: string): boolean {
  return LEGAL_NAME.test(name);
}

function textsOf(part: Part): JsonValue {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'media':
      return part.url;
    case 'data':
      return part.data;
    case 'tool-request':
      return [part.ref, part.name, part.input];
    case 'tool-response':
      return [part.ref, part.name, part.output, ...(part.content ?? []).map(textsOf)];
  }
}

function isEmpty(part: Part): boolean {
  return part.type === 'text' && part.text === '';
}

/**
 * Checks any list of messages against all rules of the model APIs, regardless of how the messages were
 * created (G19). If the result is empty, the APIs accept the messages.
 */
export function checkMessages(messages: Iterable<Message>): readonly MessageProblem[] {
  const checker = new Checker();
  for (const message of messages) checker.add(message);
  return checker.end();
}

class Checker {
  readonly #problems: MessageProblem[] = [];
  readonly #refs = new Set<string>();
  #at = 0;
  #started = false;
  /** The previous message's requests, which this message must answer. */
  #unanswered: readonly ToolRequestPart[] = [];

  add(message: Message): void {
    this.#checkPlace(message);
    this.#checkParts(message);
    this.#checkResponses(message);
    const requests = toolRequestsOf(message);
    for (const request of requests) this.#checkRequest(request, message);
    if (message.role !== 'system') this.#unanswered = message.role === 'model' ? requests : [];
    this.#at += 1;
  }

  /** Returns the problems found, including tool requests that are still unanswered after the last message. */
  end(): readonly MessageProblem[] {
    for (const { ref } of this.#unanswered) this.#problem(`the tool request \`${ref}\` has no response`);
    if (!this.#started) this.#problem('there is no user message');
    return this.#problems;
  }

  #problem(message: string): void {
    this.#problems.push({ at: this.#at, message });
  }

  #checkPlace({ role }: Message): void {
    if (role === 'system') {
      if (this.#started) this.#problem('a system message appears after the conversation has started');
      return;
    }
    if (!this.#started && role !== 'user') this.#problem(`the first message has role ${role}, not user`);
    this.#started = true;
  }

  #checkParts({ content }: Message): void {
    if (content.every(isEmpty)) this.#problem('the message is empty');
    if (content.some((part) => hasLoneSurrogate(textsOf(part))))
      this.#problem('a string contains a lone surrogate');
  }

  #checkRequest({ ref, name }: ToolRequestPart, { role }: Message): void {
    if (role !== 'model') this.#problem(`a message with role ${role} contains the tool request \`${ref}\``);
    if (this.#refs.has(ref)) this.#problem(`the tool ref \`${ref}\` is not unique`);
    this.#refs.add(ref);
    if (ref === '') this.#problem('a tool request has no ref');
    if (!isLegalToolName(name)) this.#problem(`\`${name}\` is not a valid tool name`);
  }

  /** Requires tool responses to come first in a message and to answer each request exactly once. */
  #checkResponses({ role, content }: Message): void {
    const open = new Map(this.#unanswered.map((request) => [request.ref, request]));
    let other = false;
    for (const part of content) {
      if (part.type !== 'tool-response') {
        other = true;
        continue;
      }
      const request = open.get(part.ref);
      if (role === 'model' || role === 'system') {
        this.#problem(`a message with role ${role} contains the tool response \`${part.ref}\``);
      } else if (request === undefined) {
        this.#problem(
          `the tool response \`${part.ref}\` does not match an unanswered request in the previous message`,
        );
      } else if (request.name !== part.name) {
        this.#problem(
          `the tool response \`${part.ref}\` is for \`${part.name}\`, but the request is for \`${request.name}\``,
        );
      }
      if (other) this.#problem(`the tool response \`${part.ref}\` is not at the start of its message`);
      open.delete(part.ref);
    }
    if (role === 'system') return;
    for (const ref of open.keys())
      this.#problem(`the tool request \`${ref}\` in the previous message is unanswered`);
  }
}
