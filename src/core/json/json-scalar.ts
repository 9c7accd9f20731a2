import { decimalOf } from './decimal.js';
import { isWellFormed } from './well-formed.js';

export type StrictJsonProblem =
  | 'syntax'
  | 'incomplete-json'
  | 'duplicate-key'
  | 'forbidden-key'
  | 'depth'
  | 'non-finite-number'
  | 'lone-surrogate';

/** The fault of a text, and the index of the character where it was noticed. */
export interface JsonFault {
  readonly ok: false;
  readonly problem: StrictJsonProblem;
  readonly message: string;
  readonly at: number;
}

/** A value that was read, and the index after its last character. */
export type JsonRead<T> = { readonly ok: true; readonly value: T; readonly end: number } | JsonFault;

export interface StrictJsonWarning {
  /** An integer that is rounded names something else; a rounded decimal is a little off. */
  readonly type: 'rounded-integer' | 'rounded-decimal';
  readonly message: string;
  /** Index of the first character. */
  readonly at: number;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_CHARACTERS = /[-+.0-9eE]*/y;
/** Characters of a string that stand for themselves. */
// eslint-disable-next-line no-control-regex
const PLAIN_CHARACTERS = /[^"\\\u0000-\u001F]*/y;
const LITERALS: readonly (readonly [string, boolean | null])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

export function fault(problem: StrictJsonProblem, message: string, at: number): JsonFault {
  return { ok: false, problem, message, at };
}

/** Something else was expected here, or the text ends here. */
export function unexpected(text: string, at: number, expected: string): JsonFault {
  if (at >= text.length) return fault('incomplete-json', `the text ends before ${expected}`, text.length);
  return fault('syntax', `expected ${expected}`, at);
}

/** Reads the string that begins with the quote at `start`. */
export function readString(text: string, start: number): JsonRead<string> {
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
  if (!isWellFormed(value)) return fault('lone-surrogate', 'half of a surrogate pair in a string', start);
  return { ok: true, value, end: at + 1 };
}

function readEscape(text: string, at: number): JsonRead<undefined> {
  const kind = text.charAt(at + 1);
  if (kind === '') return fault('incomplete-json', 'the text ends inside an escape', text.length);
  if (kind !== 'u') {
    if (!'"\\/bfnrt'.includes(kind)) return fault('syntax', 'an unknown escape in a string', at);
    return { ok: true, value: undefined, end: at + 2 };
  }
  const digits = text.slice(at + 2, at + 6);
  if (!/^[0-9a-fA-F]*$/.test(digits)) return fault('syntax', 'a `\\u` escape without four hex digits', at);
  if (digits.length < 4) return fault('incomplete-json', 'the text ends inside an escape', text.length);
  return { ok: true, value: undefined, end: at + 6 };
}

/** Reads `true`, `false`, `null` or a number. */
export function readScalar(
  text: string,
  at: number,
  warnings: StrictJsonWarning[],
): JsonRead<boolean | number | null> {
  for (const [word, value] of LITERALS) {
    const rest = text.slice(at, at + word.length);
    if (rest === word) return { ok: true, value, end: at + word.length };
    if (rest !== '' && word.startsWith(rest) && at + rest.length === text.length) {
      return fault('incomplete-json', `the text ends inside \`${word}\``, text.length);
    }
  }
  return readNumber(text, at, warnings);
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
    if (cut) return fault('incomplete-json', 'the text ends inside a number', text.length);
    return fault('syntax', `\`${shorten(run)}\` is not a number`, at);
  }
  const value = Number(token);
  if (!Number.isFinite(value)) {
    return fault('non-finite-number', `${shorten(token)} is too large for a number`, at);
  }
  if (decimalOf(token) !== decimalOf(String(value))) {
    const type = /^-?[0-9]+$/.test(token) ? 'rounded-integer' : 'rounded-decimal';
    warnings.push({ type, message: `${shorten(token)} becomes ${value}`, at });
  }
  return { ok: true, value: value === 0 ? 0 : value, end: at + token.length };
}

/** Finds the end of the match of a sticky pattern that begins at `at`. */
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
