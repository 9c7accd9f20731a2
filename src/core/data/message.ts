import type { JsonObject, JsonValue } from './json.js';
import type { ToolRef } from './ids.js';

/** The author of a message. */
export type Role = 'system' | 'user' | 'model' | 'tool';

interface PartBase {
  /** Provider data that is sent back unchanged; the engine never reads it. */
  readonly metadata?: JsonObject;
}

/** Text in a message. */
export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
}

/** A model's reasoning, kept byte for byte with its signature in `metadata`. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
}

/** An image or another file in a message. */
export interface MediaPart extends PartBase {
  readonly type: 'media';
  readonly url: string;
  readonly contentType?: string;
}

/**
 * Provider-owned or free-form content. It is sent back to the model that created it. It is never run, and
 * does not need approval.
 */
export interface DataPart extends PartBase {
  readonly type: 'data';
  readonly data: JsonValue;
}

/** A tool call as the model requested it. */
export interface ToolRequestPart extends PartBase {
  readonly type: 'tool-request';
  readonly ref: ToolRef;
  readonly name: string;
  readonly input: JsonValue;
  /** The reason that the raw input was invalid. The call fails with this error and never runs. */
  readonly problem?: string;
}

/** The result of a call, in the form that the model receives. */
export interface ToolResponsePart extends PartBase {
  readonly type: 'tool-response';
  readonly ref: ToolRef;
  readonly name: string;
  readonly output: JsonValue;
  /** Whether the output is a failure, a rejection or a cancellation. */
  readonly isError?: boolean;
  /** Additional content from a multipart tool. */
  readonly content?: readonly Part[];
}

/** A part of a message: text, media, data, a tool request or its response. */
export type Part = TextPart | ReasoningPart | MediaPart | DataPart | ToolRequestPart | ToolResponsePart;

export function textPart(text: string): TextPart {
  return { type: 'text', text };
}

/** A conversation message, in Genkit's form. */
export interface Message {
  readonly role: Role;
  readonly content: readonly Part[];
  readonly metadata?: JsonObject;
}

/** Returns a message's tool requests, in source order. */
export function toolRequestsOf(message: Message): readonly ToolRequestPart[] {
  return message.content.filter((part) => part.type === 'tool-request');
}

/** Returns a message's text parts, joined without a separator. */
export function textOf(message: Message): string {
  let text = '';
  for (const part of message.content) if (part.type === 'text') text += part.text;
  return text;
}

/**
 * Whether a message can be sent. A history may contain empty messages, but model APIs do not accept them
 * (G19).
 */
export function isSendable({ content }: Message): boolean {
  return content.some((part) => part.type !== 'text' || part.text !== '');
}

/**
 * Wraps text in a fenced code block, with more backticks than the text contains. `language` becomes the info
 * string.
 */
export function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

const UNANSWERED = 'the conversation continued without a result for this call';

/**
 * Repairs a history from another program before it is sent to a model: drops empty messages and adds a result
 * for each unanswered tool request. Model APIs reject both (G21, G22).
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
