import { HitlError } from '../../core/index.js';
import { MAX_CONDITION_LENGTH } from './expression-types.js';

export type Token =
  | { readonly type: 'number'; readonly value: number; readonly at: number; readonly text: string }
  | { readonly type: 'string'; readonly value: string; readonly at: number; readonly text: string }
  | { readonly type: 'word' | 'sign' | 'end'; readonly at: number; readonly text: string };

const SPACE = /[ \t\r\n]*/uy;
const NUMBER = /(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/uy;
const WORD = /[\p{ID_Start}_$][\p{ID_Continue}$]*/uy;
const SIGN = /[=!<>]=|[<>+\-*/%.,()[\]]/uy;
/** Operators from other languages, and their equivalents in conditions. */
const FOREIGN: readonly (readonly [string, string])[] = [
  ['&&', '`and`'],
  ['||', '`or`'],
  ['!', '`not`'],
  ['=', '`==`'],
];
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const SHOWN_LENGTH = 80;

/**
 * Creates a `BAD_GRAPH` error with the condition, the problem, and its column, counted in characters from 1.
 * `at` is an offset in UTF-16 units.
 */
export function conditionError(text: string, at: number, problem: string, hint?: string): HitlError {
  const column = Array.from(text.slice(0, at)).length + 1;
  const shown = text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text;
  return new HitlError('BAD_GRAPH', `condition \`${shown}\`, column ${column}: ${problem}`, {
    detail: { condition: text, column },
    ...(hint === undefined ? {} : { hint }),
  });
}

/**
 * Splits a condition into tokens, the last of which is `end`. Offsets are UTF-16 units from 0.
 * @throws HitlError BAD_GRAPH for an invalid character, or if the text exceeds the length limit.
 */
export function lexCondition(text: string): readonly Token[] {
  if (text.length > MAX_CONDITION_LENGTH) {
    throw conditionError(
      text,
      MAX_CONDITION_LENGTH,
      `more than ${MAX_CONDITION_LENGTH} characters, got ${text.length}`,
    );
  }
  const tokens: Token[] = [];
  for (let at = skipSpace(text, 0); at < text.length;) {
    const token = readToken(text, at);
    tokens.push(token);
    at = skipSpace(text, at + token.text.length);
  }
  tokens.push({ type: 'end', at: text.length, text: '' });
  return tokens;
}

function skipSpace(text: string, at: number): number {
  return at + match(SPACE, text, at).length;
}

function readToken(text: string, at: number): Token {
  const first = text.charAt(at);
  if (first === '"' || first === "'") return readString(text, at);
  const number = match(NUMBER, text, at);
  if (number !== '') return readNumber(text, at, number);
  const word = match(WORD, text, at);
  if (word !== '') return { type: 'word', at, text: word };
  const sign = match(SIGN, text, at);
  if (sign !== '') return { type: 'sign', at, text: sign };
  const [foreign, ours] = FOREIGN.find(([theirs]) => text.startsWith(theirs, at)) ?? [];
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  const problem = `\`${foreign ?? character}\` is not part of the condition language`;
  throw conditionError(text, at, problem, ours === undefined ? undefined : `write ${ours}`);
}

function readNumber(text: string, at: number, digits: string): Token {
  const value = Number(digits);
  const end = at + digits.length;
  if (!Number.isFinite(value)) throw conditionError(text, at, `the number \`${digits}\` is too large`);
  if (/[\d\p{ID_Start}_$]/u.test(text.charAt(end))) {
    throw conditionError(text, end, `expected an operator after the number \`${digits}\``);
  }
  return { type: 'number', at, text: digits, value };
}

function readString(text: string, start: number): Token {
  const quote = text.charAt(start);
  let value = '';
  for (let at = start + 1; at < text.length;) {
    const character = text.charAt(at);
    if (character === quote) return { type: 'string', at: start, text: text.slice(start, at + 1), value };
    if (character < ' ') throw conditionError(text, at, 'a quoted string must end on the same line');
    const escape = character === '\\' ? readEscape(text, at) : undefined;
    value += escape?.value ?? character;
    at += escape?.length ?? 1;
  }
  throw conditionError(text, text.length, `expected ${quote} at the end of the string`);
}

function readEscape(text: string, at: number): { value: string; length: number } {
  const code = /\\u([\da-fA-F]{4})/uy;
  code.lastIndex = at;
  const digits = code.exec(text)?.[1];
  if (digits !== undefined) return { value: String.fromCharCode(Number.parseInt(digits, 16)), length: 6 };
  const letter = text.charAt(at + 1);
  const value = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (value !== undefined) return { value, length: 2 };
  throw conditionError(text, at, `\`\\${letter}\` is not a valid escape`, 'write `\\\\` for a backslash');
}

/** Returns a sticky pattern's match at an offset; empty if it does not match. */
function match(pattern: RegExp, text: string, at: number): string {
  // A copy, for the position of a sticky pattern is state.
  const here = new RegExp(pattern);
  here.lastIndex = at;
  return here.exec(text)?.[0] ?? '';
}
