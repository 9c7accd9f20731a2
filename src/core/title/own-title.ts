import type { JsonValue } from '../json/index.js';
import { isJsonObject, toWellFormed } from '../json/index.js';
import { onOneLine } from '../text/index.js';

/** The characters that a tool's own title has at most. */
const LONGEST = 200;

/** A tool's own title as it is kept: text on one line, of at most 200 characters; `undefined` where it is none. */
export function keptTitle(said: unknown): string | undefined {
  if (typeof said !== 'string') return undefined;
  const characters = Array.from(onOneLine(toWellFormed(said.slice(0, LONGEST * 4))));
  if (characters.length === 0) return undefined;
  return characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST - 1).join('')}…`;
}

/** A word that can be taken for nothing but itself, and for no word of a sentence. */
const PLAIN_WORD = /^(?=.*[\p{N}.:/@_])[\p{L}\p{N}_]+(?:[.:/@-][\p{L}\p{N}_]+)*$/u;

/** The members of an input that a title shows: each is a name, an address or a number, and stands in it for itself. */
export function membersIn(title: string, input: JsonValue): readonly string[] {
  if (!isJsonObject(input)) return [];
  const words = title.split(/\s+/u).map((word) => word.replace(/^[("'“`$€£]+|[)"'”`,.;:!?]+$/gu, ''));
  return Object.entries(input).flatMap(([key, value]) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const at = PLAIN_WORD.test(String(value)) ? words.indexOf(String(value)) : -1;
    if (at < 0) return [];
    words.splice(at, 1);
    return [key];
  });
}
