import type { JsonValue } from './json.js';
import { MAX_DEPTH } from './json-depth.js';
import type { JsonFault, JsonRead, StrictJsonWarning } from './json-scalar.js';
import { hasPrototype } from './refused-json.js';
import { fault, readScalar, readString, unexpected } from './json-scalar.js';

// Invariants:
// S1 Accepts a subset of what `JSON.parse` accepts, and then returns an equal value (but for -0, which is 0).
// S2 Every object has `Object.prototype` and own members only. `__proto__` is a forbidden key, and `prototype` inside of
//    `constructor`: no honest value has them. Look-ups in this product go by own properties whatever the keys are.
// S3 Time is linear in the length of the text, and the stack is bounded by the depth.

export type StrictJsonResult =
  | { readonly ok: true; readonly value: JsonValue; readonly warnings: readonly StrictJsonWarning[] }
  | JsonFault;

interface Source {
  readonly text: string;
  readonly maxDepth: number;
  readonly warnings: StrictJsonWarning[];
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && ' \t\n\r'.includes(text.charAt(at))) at += 1;
  return at;
}

function readValue(source: Source, from: number, depth: number): JsonRead<JsonValue> {
  const { text, warnings, maxDepth } = source;
  const at = skipSpace(text, from);
  const first = text.charAt(at);
  if (first === '"') return readString(text, at);
  if (first !== '{' && first !== '[') return readScalar(text, at, warnings);
  if (depth === maxDepth) return fault('depth', `more than ${maxDepth} levels deep`, at);
  return first === '{' ? readObject(source, at + 1, depth + 1) : readArray(source, at + 1, depth + 1);
}

function readArray(source: Source, from: number, depth: number): JsonRead<JsonValue> {
  const { text } = source;
  const items: JsonValue[] = [];
  let at = skipSpace(text, from);
  if (text.charAt(at) === ']') return { ok: true, value: items, end: at + 1 };
  for (;;) {
    const item = readValue(source, at, depth);
    if (!item.ok) return item;
    items.push(item.value);
    at = skipSpace(text, item.end);
    if (text.charAt(at) === ']') return { ok: true, value: items, end: at + 1 };
    if (text.charAt(at) !== ',') return unexpected(text, at, '`,` or `]`');
    at += 1;
  }
}

function readObject(source: Source, from: number, depth: number): JsonRead<JsonValue> {
  const { text } = source;
  const members: Record<string, JsonValue> = {};
  let at = skipSpace(text, from);
  if (text.charAt(at) === '}') return { ok: true, value: members, end: at + 1 };
  for (;;) {
    const key = readKey(text, at, members);
    if (!key.ok) return key;
    const member = readValue(source, key.end, depth);
    if (!member.ok) return member;
    if (key.value === 'constructor' && hasPrototype(member.value))
      return fault('forbidden-key', 'the key "prototype" is not allowed in "constructor"', at);
    members[key.value] = member.value;
    at = skipSpace(text, member.end);
    if (text.charAt(at) === '}') return { ok: true, value: members, end: at + 1 };
    if (text.charAt(at) !== ',') return unexpected(text, at, '`,` or `}`');
    at += 1;
  }
}

/** A key that is not there yet, and the colon after it. */
function readKey(text: string, from: number, members: object): JsonRead<string> {
  const start = skipSpace(text, from);
  if (text.charAt(start) !== '"') return unexpected(text, start, 'a key in double quotes');
  const key = readString(text, start);
  if (!key.ok) return key;
  if (key.value === '__proto__') return fault('forbidden-key', 'the key "__proto__" is not allowed', start);
  if (Object.hasOwn(members, key.value)) {
    return fault('duplicate-key', `the key ${JSON.stringify(key.value)} is there twice`, start);
  }
  const colon = skipSpace(text, key.end);
  if (text.charAt(colon) !== ':') return unexpected(text, colon, '`:`');
  return { ok: true, value: key.value, end: colon + 1 };
}

/**
 * Parses JSON and refuses what `JSON.parse` lets through: duplicate keys, `__proto__`, `constructor.prototype`, more than 64 levels, numbers
 * that are not finite, lone surrogates. Numbers that are rounded are warned of. Never throws.
 * @param maxDepth for a document that has values of 64 levels inside.
 */
export function parseStrictJson(text: string, maxDepth = MAX_DEPTH): StrictJsonResult {
  const warnings: StrictJsonWarning[] = [];
  const read = readValue({ text, warnings, maxDepth }, 0, 0);
  if (!read.ok) return read;
  const end = skipSpace(text, read.end);
  if (end < text.length) return fault('syntax', 'text after the end of the value', end);
  return { ok: true, value: read.value, warnings };
}
