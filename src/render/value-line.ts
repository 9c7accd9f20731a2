import { escapeText, isJsonArray, isJsonObject } from '../core/index.js';
import type { JsonValue } from '../core/index.js';
import { cutToWidth } from './width.js';

/** Enough for the widest line; more of a huge value is never looked at. */
const MOST_CHARACTERS = 2000;

function quoted(text: string): string {
  // Backslashes of the text are doubled by `escapeText`, so `\"` is ours alone.
  return `"${escapeText(text.slice(0, MOST_CHARACTERS)).replaceAll('"', '\\"')}"`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? name : quoted(name);
}

function members(parts: Iterable<string>): string {
  let line = '';
  for (const part of parts) {
    if (line.length > MOST_CHARACTERS) return line;
    line += line === '' ? part : `, ${part}`;
  }
  return line;
}

function inner(value: JsonValue): string {
  if (typeof value === 'string') return quoted(value);
  if (isJsonArray(value)) return `[${members(value.map(inner))}]`;
  if (isJsonObject(value)) return `{${fields(value)}}`;
  return String(value);
}

function fields(value: Readonly<Record<string, JsonValue>>): string {
  return members(Object.entries(value).map(([name, member]) => `${key(name)}: ${inner(member)}`));
}

/** A value as one safe line: `to: "ABC123", amount: 200`. Meant for lines of progress, never for an approval. */
export function valueLine(value: JsonValue, columns: number): string {
  const line = isJsonObject(value) ? fields(value) : inner(value);
  return cutToWidth(line, columns);
}
