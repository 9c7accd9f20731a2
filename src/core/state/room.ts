import type { RunState } from './state.js';
import type { Message, Part } from '../data/message.js';

/**
 * Maximum number of entries to search for the last reported usage. Limits the search if a model does not
 * report any usage.
 */
const MOST_WITHOUT_USAGE = 100;

type Room = Pick<RunState, 'entries' | 'view' | 'compacted'>;

/**
 * Returns the input and output tokens that the last reply reported for the current view, and the number of
 * messages that they cover; `undefined` if there is no such report.
 */
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
 * Returns the number of input and output tokens of the last reply with known usage, which the next request
 * starts with. Returns 0 if the provider has not counted the current view.
 */
export function contextUsed(state: Room): number {
  return told(state)?.tokens ?? 0;
}

/** Approximate number of characters per token, as stated by providers for English. */
const CHARACTERS = 4;
/** Approximate number of tokens in an image or document. */
const MEDIA_TOKENS = 1_600;

/** Estimates the number of tokens in a text. */
export function textTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS);
}

/** Estimates the number of tokens in a message part. */
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

/** Estimates the number of tokens in a message. */
function messageTokens({ content }: Message): number {
  return content.reduce((sum, part) => sum + partTokens(part), 0);
}

/**
 * Estimates the number of tokens in the next request from the provider's last count and the messages added
 * since.
 */
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
 * Returns the number of messages at the start that a summary may cover so that the others have at most `keep`
 * tokens; `undefined` if there is nothing new to compact. The last message is never covered.
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
