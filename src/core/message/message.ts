import type { JsonObject } from '../json/index.js';
import type { Part, ToolRequestPart } from './part.js';

/** The author of a message. */
export type Role = 'system' | 'user' | 'model' | 'tool';

/** One message of a conversation, in the shape of Genkit. */
export interface Message {
  readonly role: Role;
  readonly content: readonly Part[];
  readonly metadata?: JsonObject;
}

/** The tool requests of a message, in source order. */
export function toolRequestsOf(message: Message): readonly ToolRequestPart[] {
  return message.content.filter((part) => part.type === 'tool-request');
}

/** The text parts of a message, joined without a separator. */
export function textOf(message: Message): string {
  let text = '';
  for (const part of message.content) if (part.type === 'text') text += part.text;
  return text;
}

/** False for a message without anything in it: it may be history, but no model API takes it (G19). */
export function isSendable({ content }: Message): boolean {
  return content.some((part) => part.type !== 'text' || part.text !== '');
}
