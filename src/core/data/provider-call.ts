import type { JsonValue } from './json.js';
import { isJsonArray, isJsonObject, membersOf } from './json.js';
import { count } from './plain-line.js';
import type { Message, Part } from './message.js';

/** A call to a tool that the provider runs itself. Such calls are shown but do not need approval. */
export interface ProviderCall {
  readonly name: string;
  readonly input: JsonValue;
  /**
   * `agent`: an agent runs the tool, on its own machine or on this one. Default: the model's provider runs
   * it.
   */
  readonly by?: 'agent';
}

/** Data type for calls that an agent runs. */
const OF_AGENT = 'agent_tool_use';

/** Reads a provider call from provider data; `undefined` if the data does not contain one. */
export function providerCallOf(data: JsonValue): ProviderCall | undefined {
  if (!isJsonObject(data)) return undefined;
  const { type, name, input } = data;
  if (typeof type !== 'string' || !type.endsWith('tool_use') || typeof name !== 'string') return undefined;
  return { name, input: input ?? {}, ...(type === OF_AGENT && { by: 'agent' }) };
}

/** The result of a provider call. */
export interface ProviderResult {
  readonly name: string;
  /** A short description of the result, or the provider's error. Empty if unknown. Untrusted text. */
  readonly facts: string;
  readonly failed: boolean;
}

const RESULT = '_tool_result';

/** Reads the result of a provider call from provider data; `undefined` if the data does not contain one. */
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

/** Returns the text of a reply in readable form, with line breaks around provider calls. */
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

/**
 * Tools that a provider runs itself. Users enable them in advance, because their calls cannot be approved one
 * by one.
 */
export const PROVIDER_TOOLS = ['web_search', 'web_fetch', 'code_execution'] as const;

type ProviderToolName = (typeof PROVIDER_TOOLS)[number];

/** A provider tool, with the limits that the user sets. */
export interface ProviderTool {
  readonly name: ProviderToolName;
  /** Maximum number of calls in one model request. Default: the provider's maximum. */
  readonly maxUses?: number;
  /** The only sites that the tool may visit. Default: all. */
  readonly domains?: readonly string[];
}

/** A page or document that a reply cites. Untrusted text. */
export interface CitedSource {
  readonly title?: string;
  readonly url?: string;
}

/** Lists the sources cited in a reply, in order and without duplicates. */
export function sourcesOf({ content }: Message): readonly CitedSource[] {
  const sources = new Map<string, CitedSource>();
  for (const source of content.flatMap(citedIn)) {
    const name = source.url ?? source.title;
    if (name !== undefined && !sources.has(name)) sources.set(name, source);
  }
  return [...sources.values()];
}

/** Returns the citations in a part. Each provider's citations are stored under the provider's name. */
function citedIn(part: Part): readonly CitedSource[] {
  if (part.type !== 'text') return [];
  return Object.values(part.metadata ?? {}).flatMap((metadata) => {
    const citations = isJsonObject(metadata) ? (metadata['citations'] ?? []) : [];
    return isJsonArray(citations) ? citations.map(sourceOf) : [];
  });
}

/** Reads the cited web page, search result or document. Supports the field names of all providers. */
function sourceOf(citation: JsonValue): CitedSource {
  if (!isJsonObject(citation)) return {};
  const url = textAt(citation['url']) ?? textAt(citation['source']);
  const title = textAt(citation['title']) ?? textAt(citation['document_title']);
  return { ...(title !== undefined && { title }), ...(url !== undefined && { url }) };
}

function textAt(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
