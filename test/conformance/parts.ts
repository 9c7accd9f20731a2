import type {
  JsonObject,
  JsonValue,
  ModelReply,
  Part,
  TranscriptMessage,
  TranscriptPart,
  Usage,
} from '../../src/core/index.js';
import { toolRef } from '../../src/core/index.js';

// The words in which cases are written: replies of a model, and messages in Genkit's shape.

/** A text part of a reply. */
export function say(text: string): Part {
  return { type: 'text', text };
}

/** A tool request of a reply; without `ref` as a provider that has none would give it. */
export function call(name: string, input: JsonValue = {}, ref = '', metadata?: JsonObject): Part {
  return { type: 'tool-request', ref: toolRef(ref), name, input, ...(metadata && { metadata }) };
}

/** One reply of the model. */
export function reply(...content: readonly Part[]): ModelReply {
  return { content, end: content.some(({ type }) => type === 'tool-request') ? 'tool-use' : 'stop' };
}

export function replyWithUsage(usage: Usage, ...content: readonly Part[]): ModelReply {
  return { ...reply(...content), usage };
}

/** A text part in Genkit's shape. */
export function text(words: string): TranscriptPart {
  return { text: words };
}

/** A tool request in Genkit's shape. */
export function request(
  name: string,
  input: JsonValue,
  ref: string | undefined,
  metadata?: JsonObject,
): TranscriptPart {
  return {
    toolRequest: { name, ...(ref !== undefined && { ref }), input },
    ...(metadata && { metadata }),
  };
}

/** A tool response in Genkit's shape. */
export function response(
  name: string,
  output: JsonValue,
  ref: string | undefined,
  metadata?: JsonObject,
): TranscriptPart {
  return {
    toolResponse: { name, ...(ref !== undefined && { ref }), output },
    ...(metadata && { metadata }),
  };
}

export function user(words: string): TranscriptMessage {
  return { role: 'user', content: [text(words)] };
}

export function model(...content: readonly TranscriptPart[]): TranscriptMessage {
  return { role: 'model', content };
}

export function tool(...content: readonly TranscriptPart[]): TranscriptMessage {
  return { role: 'tool', content };
}

/** A tool message that a resume made. */
export function resumedTool(...content: readonly TranscriptPart[]): TranscriptMessage {
  return { role: 'tool', content, metadata: { resumed: true } };
}

/** How a failure stands on a tool response, beside Genkit's words. */
export function failed(code: string, more: JsonObject = {}): JsonObject {
  return { ...more, hitl: { error: code } };
}
