import type { JsonValue } from './json.js';
import { MAX_DEPTH, isJsonArray } from './json.js';
import { isWellFormed } from './well-formed.js';

// Invariants:
// S1 Accepts a subset of what `JSON.parse` accepts, and then returns an equal value (but for -0, which is 0).
// S2 Every object has `Object.prototype` and own members only. `__proto__` is a forbidden key, and `prototype` inside of
//    `constructor`: no honest value has them. Look-ups in this product go by own properties whatever the keys are.
// S3 Time is linear in the length of the text, and the stack is bounded by the depth.

type StrictJsonProblem =
  | 'syntax'
  | 'incomplete-json'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'depth'
  | 'non-finite-number'
  | 'lone-surrogate';

/** An error in the text, with the index of the character at which it occurs. */
interface JsonFault {
  readonly ok: false;
  readonly problem: StrictJsonProblem;
  readonly message: string;
  readonly at: number;
}

/** A value read from a text, and the index after its last character. */
type JsonRead<T> = { readonly ok: true; readonly value: T; readonly end: number } | JsonFault;

interface StrictJsonWarning {
  /** A rounded integer may identify the wrong thing; a rounded decimal is only slightly inaccurate. */
  readonly type: 'rounded-integer' | 'rounded-decimal';
  readonly message: string;
  /** Index of the first character. */
  readonly at: number;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_CHARACTERS = /[-+.0-9eE]*/y;
/** Matches a run of unescaped characters in a JSON string. */
// oxlint-disable-next-line no-control-regex
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001F]*/y;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

function fault(problem: StrictJsonProblem, message: string, at: number): JsonFault {
  return { ok: false, problem, message, at };
}

/** Creates the error for an unexpected character or end of input. */
function unexpected(text: string, at: number, expected: string): JsonFault {
  if (at >= text.length)
    return fault('incomplete-json', `unexpected end of input, expected ${expected}`, text.length);
  return fault('syntax', `expected ${expected}`, at);
}

/** Reads the string whose opening quote is at `start`. */
function readString(text: string, start: number): JsonRead<string> {
  let at = endOf(PLAIN_CHARACTERS, text, start + 1);
  let escaped = false;
  for (let character = text.charAt(at); character !== '"'; character = text.charAt(at)) {
    if (character === '') return unexpected(text, at, 'the closing quote of a string');
    if (character < ' ') return fault('syntax', 'a control character in a string', at);
    const escape = readEscape(text, at);
    if (!escape.ok) return escape;
    at = endOf(PLAIN_CHARACTERS, text, escape.end);
    escaped = true;
  }
  const token = text.slice(start, at + 1);
  const value: unknown = escaped ? JSON.parse(token) : token.slice(1, -1);
  if (typeof value !== 'string') return fault('syntax', 'not a string', start);
  if (!isWellFormed(value)) return fault('lone-surrogate', 'a lone surrogate in a string', start);
  return { ok: true, value, end: at + 1 };
}

function readEscape(text: string, at: number): JsonRead<undefined> {
  const kind = text.charAt(at + 1);
  if (kind === '') return fault('incomplete-json', 'unexpected end of input in an escape', text.length);
  if (kind !== 'u') {
    if (!'"\\/bfnrt'.includes(kind)) return fault('syntax', 'an unknown escape in a string', at);
    return { ok: true, value: undefined, end: at + 2 };
  }
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return fault('syntax', 'a `\\u` escape without four hex digits', at);
  if (digits.length < 4) return fault('incomplete-json', 'unexpected end of input in an escape', text.length);
  return { ok: true, value: undefined, end: at + 6 };
}

/** Reads `true`, `false`, `null` or a number. */
function readScalar(
  text: string,
  at: number,
  warnings: StrictJsonWarning[],
): JsonRead<boolean | number | null> {
  for (const [word, value] of LITERALS) {
    const rest = text.slice(at, at + word.length);
    if (rest === word) return { ok: true, value, end: at + word.length };
    if (rest !== '' && word.startsWith(rest) && at + rest.length === text.length) {
      return fault('incomplete-json', `unexpected end of input in \`${word}\``, text.length);
    }
  }
  return readNumber(text, at, warnings);
}

/**
 * Returns a canonical form of a decimal number, so that equal numbers have equal forms. Runs in linear time,
 * unlike `/0+$/`.
 */
function decimalOf(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  let start = 0;
  while (digits.charAt(start) === '0') start += 1;
  let end = digits.length;
  while (end > start && digits.charAt(end - 1) === '0') end -= 1;
  if (start === end) return '0';
  const power = Number(exponent) - fraction.length + (digits.length - end);
  return `${digits.slice(start, end)}e${power}`;
}

function readNumber(text: string, at: number, warnings: StrictJsonWarning[]): JsonRead<number> {
  const run = match(NUMBER_CHARACTERS, text, at);
  if (run === '') return unexpected(text, at, 'a value');
  const token = match(NUMBER, text, at);
  if (token !== run) {
    // `-`, `1.` and `2e+` may go on where the text ends; `01` and `1.x` never become numbers.
    const rest = run.slice(token.length);
    const cut =
      at + run.length === text.length && (rest === '-' || (token !== '' && /^\.$|^[eE][+-]?$/.test(rest)));
    if (cut) return fault('incomplete-json', 'unexpected end of input in a number', text.length);
    return fault('syntax', `\`${shorten(run)}\` is not a number`, at);
  }
  const value = Number(token);
  if (!Number.isFinite(value)) {
    return fault('non-finite-number', `${shorten(token)} is too large to represent as a number`, at);
  }
  if (decimalOf(token) !== decimalOf(String(value))) {
    const type = /^-?[0-9]+$/.test(token) ? 'rounded-integer' : 'rounded-decimal';
    warnings.push({ type, message: `${shorten(token)} becomes ${value}`, at });
  }
  return { ok: true, value: value === 0 ? 0 : value, end: at + token.length };
}

/** Returns the index at which the match of a sticky pattern at `at` ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function match(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}

function shorten(token: string): string {
  return token.length <= 40 ? token : `${token.slice(0, 40)}…`;
}

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

/**
 * Returns the reason that `parseStrictJson` would refuse a value because of its keys or its depth;
 * `undefined` if it would accept the value. Use it for values that other code parsed. Does not look deeper
 * than the maximum depth.
 */
export function refusedIn(value: JsonValue, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === MAX_DEPTH) return `more than ${MAX_DEPTH} levels deep`;
  if (isJsonArray(value)) return refusedItem(value, depth);
  for (const key of Object.keys(value)) {
    const member = value[key] ?? null;
    if (key === '__proto__') return 'the key "__proto__" is not allowed';
    if (key === 'constructor' && hasPrototype(member))
      return 'the key "prototype" is not allowed in "constructor"';
    const refused = refusedIn(member, depth + 1);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

function refusedItem(items: readonly JsonValue[], depth: number): string | undefined {
  for (const item of items) {
    const refused = refusedIn(item, depth + 1);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/**
 * Whether the value of a `constructor` key contains `prototype`, which could change all objects if it is
 * merged carelessly.
 */
function hasPrototype(value: JsonValue): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype');
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

/** Reads a key and the colon after it. Refuses a duplicate key. */
function readKey(text: string, from: number, members: object): JsonRead<string> {
  const start = skipSpace(text, from);
  if (text.charAt(start) !== '"') return unexpected(text, start, 'a key in double quotes');
  const key = readString(text, start);
  if (!key.ok) return key;
  if (key.value === '__proto__') return fault('forbidden-key', 'the key "__proto__" is not allowed', start);
  if (Object.hasOwn(members, key.value)) {
    return fault('duplicate-key', `duplicate key ${JSON.stringify(key.value)}`, start);
  }
  const colon = skipSpace(text, key.end);
  if (text.charAt(colon) !== ':') return unexpected(text, colon, '`:`');
  return { ok: true, value: key.value, end: colon + 1 };
}

/**
 * Parses JSON and refuses input that `JSON.parse` accepts: duplicate keys, `__proto__`,
 * `constructor.prototype`, more than 64 levels, infinite numbers and lone surrogates. Warns about rounded
 * numbers. Never throws.
 * @param maxDepth set a higher limit for a document that contains values with 64 levels.
 */
export function parseStrictJson(text: string, maxDepth = MAX_DEPTH): StrictJsonResult {
  const warnings: StrictJsonWarning[] = [];
  const read = readValue({ text, warnings, maxDepth }, 0, 0);
  if (!read.ok) return read;
  const end = skipSpace(text, read.end);
  if (end < text.length) return fault('syntax', 'unexpected text after the value', end);
  return { ok: true, value: read.value, warnings };
}
