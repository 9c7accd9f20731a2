import type { JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject, membersOf } from '../json/index.js';
import { count } from '../text/index.js';
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

/** The end of such a call. */
export interface ProviderResult {
  readonly name: string;
  /** A few words of what it gave, or the provider's word for the failure; empty where nothing is known. From outside. */
  readonly facts: string;
  readonly failed: boolean;
}

const RESULT = '_tool_result';

/** Reads the result of such a call from content of the provider; `undefined` for all else that it keeps there. */
export function providerResultOf(data: JsonValue): ProviderResult | undefined {
  if (!isJsonObject(data)) return undefined;
  const { type, content = null } = data;
  if (typeof type !== 'string' || !type.endsWith(RESULT) || type === 'tool_result') return undefined;
  const name = type.slice(0, -RESULT.length);
  if (isJsonArray(content)) return { name, facts: count(content.length, 'result'), failed: false };
  const { error_code: code, url, return_code: status, tool_references: found } = membersOf(content);
  if (found !== undefined && isJsonArray(found))
    return { name, facts: toolNames(found).join(', ') || 'nothing', failed: false };
  if (typeof code === 'string') return { name, facts: code, failed: true };
  if (typeof status === 'number') return { name, facts: `exit ${status}`, failed: status !== 0 };
  return { name, facts: typeof url === 'string' ? url : '', failed: false };
}

function toolNames(found: readonly JsonValue[]): readonly string[] {
  return found.flatMap((one) => {
    const { tool_name: name } = membersOf(one);
    return typeof name === 'string' ? [name] : [];
  });
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
