import type { JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject } from '../json/index.js';
import type { Message } from './message.js';
import type { Part } from './part.js';

/** A page or document that a reply cites; text from outside. */
export interface CitedSource {
  readonly title?: string;
  readonly url?: string;
}

/** Lists what the texts of a reply cite, each source once, in the order in which they are cited. */
export function sourcesOf({ content }: Message): readonly CitedSource[] {
  const sources = new Map<string, CitedSource>();
  for (const source of content.flatMap(citedIn)) {
    const name = source.url ?? source.title;
    if (name !== undefined && !sources.has(name)) sources.set(name, source);
  }
  return [...sources.values()];
}

/** Whichever provider said it: each keeps what is its own under its name. */
function citedIn(part: Part): readonly CitedSource[] {
  if (part.type !== 'text') return [];
  return Object.values(part.metadata ?? {}).flatMap((metadata) => {
    const citations = isJsonObject(metadata) ? (metadata['citations'] ?? []) : [];
    return isJsonArray(citations) ? citations.map(sourceOf) : [];
  });
}

/** A page of the web, a result of a search, or a document, by the names that the provider has for them. */
function sourceOf(citation: JsonValue): CitedSource {
  if (!isJsonObject(citation)) return {};
  const url = textAt(citation['url']) ?? textAt(citation['source']);
  const title = textAt(citation['title']) ?? textAt(citation['document_title']);
  return { ...(title !== undefined && { title }), ...(url !== undefined && { url }) };
}

function textAt(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}
