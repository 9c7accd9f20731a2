import { callTitleOf, escapeText, isJsonArray, isJsonObject, laidOut } from '../core/index.js';
import type { JsonValue, Shown } from '../core/index.js';
import { cutToWidth } from './width.js';

/** Maximum number of characters read from a value, which is enough for the widest line. */
const MOST_CHARACTERS = 2000;
const NAME = /^[A-Za-z_$][\w$-]*$/;

function quoted(text: string, most: number): string {
  const { head, isCut } = headOf(text, most);
  // Backslashes of the text are doubled by `escapeText`, so `\"` is ours alone.
  return `"${escapeText(head).replaceAll('"', '\\"')}${isCut ? '…' : '"'}`;
}

/**
 * Returns the start of a text. If the cut would fall within a run of spaces or line breaks, the whole run is
 * included, so that it is counted correctly.
 */
function headOf(text: string, most: number): { readonly head: string; readonly isCut: boolean } {
  if (text.length <= most) return { head: text, isCut: false };
  const last = text.charAt(most - 1);
  let end = most;
  while ((last === ' ' || last === '\n') && text.charAt(end) === last) end += 1;
  return { head: text.slice(0, end), isCut: end < text.length };
}

/** Matches text that does not need quotes: not a number, a JSON keyword or a separator. */
const barePattern = () => /^(?!(?:true|false|null)$)\p{L}[\p{L}\p{N} ._@/+-]*(?<! )$/u;
const MOST_BARE = 60;

function bare(text: string, most: number): string {
  return text.length <= MOST_BARE && barePattern().test(text) && escapeText(text) === text
    ? text
    : quoted(text, most);
}

function keyOf(name: string, most: number): string {
  return NAME.test(name) ? name : quoted(name, most);
}

function joined<T>(items: readonly T[], show: (item: T) => string, most: number): string {
  let line = '';
  for (const item of items) {
    if (line.length > most) return line;
    line += line === '' ? show(item) : `, ${show(item)}`;
  }
  return line;
}

function members(value: Readonly<Record<string, JsonValue>>, most: number, word = quoted): string {
  return joined(
    Object.entries(value),
    ([name, member]) => `${keyOf(name, most)}: ${inner(member, most, word)}`,
    most,
  );
}

function inner(value: JsonValue, most: number, word = quoted): string {
  if (typeof value === 'string') return word(value, most);
  if (isJsonArray(value)) return `[${joined(value, (item) => inner(item, most, word), most)}]`;
  if (isJsonObject(value)) return `{${members(value, most, word)}}`;
  return String(value);
}

/**
 * Formats a value as one safe line: `to: ABC123, amount: 200`. Long values are cut, so use it for progress
 * lines, never for an approval.
 */
export function valueLine(value: JsonValue, columns: number): string {
  const most = MOST_CHARACTERS;
  return cutToWidth(isJsonObject(value) ? members(value, most, bare) : inner(value, most, bare), columns);
}

/** Formats a call as one safe line: its title, or its name and input. */
export function callLine(call: Parameters<typeof callTitleOf>[0], columns: number): Shown {
  const words = callTitleOf(call) ?? `${escapeText(call.name)}  ${valueLine(call.input, columns)}`;
  return laidOut(cutToWidth(words, columns));
}

/**
 * Formats a value as one safe line without cuts. `bare` omits an object's braces and the quotes around plain
 * keys.
 */
export function wholeLine(value: JsonValue, form: 'whole' | 'bare' = 'whole'): string {
  const most = Number.POSITIVE_INFINITY;
  if (form === 'whole') return inner(value, most);
  if (typeof value === 'string') return keyOf(value, most);
  return isJsonObject(value) && Object.keys(value).length > 0 ? members(value, most) : inner(value, most);
}
