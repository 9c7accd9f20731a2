import type { RunState } from './state.js';
import type { Message, Part } from '../data/message.js';

/** Entries behind the last reply; a model that tells no usage is not looked for through a whole session. */
const MOST_WITHOUT_USAGE = 100;

type Room = Pick<RunState, 'entries' | 'view' | 'compacted'>;

/** Tokens that the last reply was told to have been sent and to have, and the number of messages with it; for what a model is sent now. */
function told({
  entries,
  compacted,
}: Room): { readonly tokens: number; readonly length: number } | undefined {
  const oldest = Math.max(compacted?.at ?? 0, entries.length - MOST_WITHOUT_USAGE);
  for (let at = entries.length - 1; at >= oldest; at -= 1) {
    const usage = entries.at(at)?.usage;
    if (usage !== undefined) return { tokens: usage.inputTokens + usage.outputTokens, length: at + 1 };
  }
  return undefined;
}

/**
 * Tokens of the last reply whose usage is known, with all that was before it: what the next request begins with. 0 where
 * no provider has counted what is sent now.
 */
export function contextUsed(state: Room): number {
  return told(state)?.tokens ?? 0;
}

/** Characters of a token, about: what providers say of English. */
const CHARACTERS = 4;
/** Tokens of a picture or a document, about. */
const MEDIA_TOKENS = 1_600;

/** Tokens of a text, about. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS);
}

/** Tokens of a part of a message, about. */
export function partTokens(part: Part): number {
  switch (part.type) {
    case 'media':
      return MEDIA_TOKENS;
    case 'text':
    case 'reasoning':
      return textTokens(part.text);
    case 'tool-response': {
      const { content = [], output } = part;
      return textTokens(JSON.stringify(output)) + content.reduce((sum, inner) => sum + partTokens(inner), 0);
    }
    case 'tool-request':
    case 'data':
      return textTokens(JSON.stringify(part));
  }
}

/** Tokens of a message, about. */
function messageTokens({ content }: Message): number {
  return content.reduce((sum, part) => sum + partTokens(part), 0);
}

/** Tokens of the next request, about: as the provider counted the last one, with what was said since. */
export function contextTokens(state: Room, fixedTokens: number): number {
  const counted = told(state);
  if (counted === undefined) {
    let sum = fixedTokens;
    for (const message of state.view) sum += messageTokens(message);
    return sum;
  }
  let sum = counted.tokens;
  for (let at = counted.length; at < state.entries.length; at += 1) {
    const entry = state.entries.at(at);
    if (entry !== undefined) sum += messageTokens(entry.view ?? entry.message);
  }
  return sum;
}

/**
 * The number of messages, from the first one on, that a summary may stand for so that what is left has at most `keep`
 * tokens; `undefined` where nothing new can be summed up. The last message is never summed up.
 */
export function compactionEnd({ entries, compacted }: Room, keep: number): number | undefined {
  const from = compacted?.to ?? 0;
  let end: number | undefined;
  let tokens = 0;
  for (let at = entries.length - 1; at > from; at -= 1) {
    const entry = entries.at(at);
    if (entry === undefined) break;
    tokens += messageTokens(entry.view ?? entry.message);
    if (end !== undefined && tokens > keep) break;
    if (entry.message.role !== 'tool') end = at; // a call and its results go together
  }
  return end;
}
