import type { JsonValue } from '../json/index.js';
import { isJsonObject } from '../json/index.js';
import type { Message } from './message.js';

/** A call of a tool that the provider runs by itself: it is told, and nobody is asked about it. */
export interface ProviderCall {
  readonly name: string;
  readonly input: JsonValue;
}

/** Reads such a call from content of the provider; `undefined` for all else that it keeps there. */
export function providerCallOf(data: JsonValue): ProviderCall | undefined {
  if (!isJsonObject(data)) return undefined;
  const { type, name, input } = data;
  if (typeof type !== 'string' || !type.endsWith('tool_use') || typeof name !== 'string') return undefined;
  return { name, input: input ?? {} };
}

/** The text of a reply as it is read: what stands before and after a call of the provider's own is set apart. */
export function readableTextOf({ content }: Message): string {
  let text = '';
  let isApart = false;
  for (const part of content) {
    if (part.type === 'data') isApart = text !== '' && !text.endsWith('\n\n');
    if (part.type !== 'text' || part.text === '') continue;
    text += isApart ? `\n\n${part.text}` : part.text;
    isApart = false;
  }
  return text;
}
