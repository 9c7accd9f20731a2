import type { Message, Part } from '../message/index.js';

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
export function messageTokens({ content }: Message): number {
  return content.reduce((sum, part) => sum + partTokens(part), 0);
}
