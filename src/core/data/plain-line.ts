import type { Shown } from './escape.js';
import { escapeText, laidOut, shown } from './escape.js';
import { charactersOf, columnsOf } from './width.js';

/** One-column letters that do not combine with each other. */
const SIMPLE = String.raw` -[\]-~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027`;
/** Matches a style sequence, an escape, simple letters, or the text between them. */
const UNBROKEN = new RegExp(
  String.raw`\u001B\[[0-9;]*m|\\u\{[0-9A-F]+\}|\\\{[^}]{0,40}\}|\\[\\nt]|[${SIMPLE}]+(?![^${SIMPLE}\u001B\\])|[${SIMPLE}]?[^${SIMPLE}\u001B\\]+|[\u001B\\]`,
  'g',
);
const ALL_SIMPLE = new RegExp(`^[${SIMPLE}]*$`);

/**
 * Splits escaped text into pieces that cannot be broken: style sequences, escapes, and letters with their
 * marks. Simple letters can be split anywhere; `room` limits the length of such pieces. Only an escape can be
 * wider than `columns`.
 */
function* piecesOf(shown: string, columns: number, room: () => number): Iterable<string> {
  for (const [piece] of shown.matchAll(UNBROKEN)) {
    if (piece.startsWith('\u001B') || piece.startsWith('\\')) yield piece;
    else if (ALL_SIMPLE.test(piece)) yield* slicesOf(piece, room);
    else yield* fittingCharacters(piece, columns);
  }
}

function* fittingCharacters(text: string, columns: number): Iterable<string> {
  for (const character of charactersOf(text)) {
    if (columnsOf(character) <= columns) yield character;
    else yield* character; // of joined emoji there may be more than a row takes
  }
}

function* slicesOf(text: string, room: () => number): Iterable<string> {
  for (let at = 0; at < text.length;) {
    const end = at + Math.max(1, room());
    yield text.slice(at, end);
    at = end;
  }
}

/**
 * Wraps escaped text at a number of columns without splitting escapes, and returns at least one row. An
 * escape wider than a row gets its own row. Runs in linear time.
 */
export function wrapShown(shown: string, columns: number): readonly string[] {
  return columnsOf(shown) <= columns ? [shown] : [...rowsOf(shown, columns)];
}

/** Returns the first row of `wrapShown`, without computing the others. */
export function firstRow(shown: string, columns: number): string {
  for (const row of rowsOf(shown, columns)) return row;
  return '';
}

function* rowsOf(shown: string, columns: number): Iterable<string> {
  let row = '';
  let used = 0;
  for (const piece of piecesOf(shown, columns, () => columns - used || columns)) {
    const width = columnsOf(piece);
    if (used + width > columns && row !== '') {
      yield row;
      row = '';
      used = 0;
    }
    row += piece;
    used += width;
  }
  yield row;
}

/**
 * Joins text into one line: a run of spaces, tabs and line breaks becomes a single space. Other whitespace is
 * kept, and spelled out when the text is shown.
 */
export function onOneLine(text: string): string {
  return text
    .replaceAll(/(?:[ \t\n]|\r\n)+/g, ' ')
    .replace(/^ /, '')
    .replace(/ $/, '');
}

/**
 * Formats untrusted text as one safe line for a list: escaped, and cut with `…` at `maxWidth` columns. Do not
 * use it for text on which a person bases a decision, because it does not show how much was cut.
 */
export function plainLine(text: string, maxWidth: number): Shown {
  // Every code point shows, marks aside; what is far beyond the width needs no escaping.
  const start = text.length > maxWidth * 4 + 64 ? text.slice(0, maxWidth * 4 + 64) : text;
  const shown = escapeText(start);
  if (start === text && columnsOf(shown) <= maxWidth) return shown;
  const head = firstRow(shown, maxWidth - 1);
  return laidOut(columnsOf(head) < maxWidth ? `${head}…` : '…');
}

/** Formats a number with a noun: `1 turn`, `2 turns`. Pass `several` if the plural is irregular. */
export function count(n: number, one: string, several = `${one}s`): Shown {
  return shown`${n} ${escapeText(n === 1 ? one : several)}`;
}

/** Expands a leading `~`; returns any other path unchanged. */
export function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

// Invariants:
// W1 A row is broken at white space, or between two letters of a script without spaces; a word that is wider than a row
//    is broken where it is full, and never within a character or within the notation of `escapeText`.
// W2 Nothing is left out but the white space at a break, and nothing is taken back: what was returned is final.
// W3 No style crosses a break: it is closed before it and opened again behind it.

/** Matches a word with its style sequences, a run of spaces, or a line break. */
const TOKENS = /[^ \n]+| +|\n/g;
/**
 * Matches a letter, with its marks, in a script that does not separate words with spaces. A mark must not
 * start a row.
 */
const unspacedPattern = () =>
  /(?:(?!\p{M})[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]\p{M}*[\u0E33\u0EB3]?[、。，．！？：；）」』】〕》〉ー々]*)/gu;
let endsUnspaced: RegExp | undefined;
const MAYBE_UNSPACED = /[\u0E01-\u0EFF\u1000-\u109F\u1780-\u17FF\u19E0-\u19FF\u2E80-\uFFFF]/;
// Only our own styles are in text that reaches this file: everything else was escaped.
// oxlint-disable-next-line no-control-regex
const STYLE = /\u001B\[([0-9;]*)m/g;

/** Styles that each closing code ends; `0` and an empty code end all styles. */
const CLOSES: Readonly<Record<string, RegExp>> = {
  22: /^[12]$/,
  23: /^3$/,
  24: /^4$/,
  29: /^9$/,
  39: /^(?:3[0-7]|9[0-7]|38.*)$/,
  49: /^(?:4[0-7]|10[0-7]|48.*)$/,
};

/** Whether a row may break after the last letter of a text. */
function isBreakable(text: string): boolean {
  if (!MAYBE_UNSPACED.test(text)) return false;
  endsUnspaced ??= new RegExp(`(?:${unspacedPattern().source})$`, 'u');
  return endsUnspaced.test(text);
}

/** Splits a word at the points where a row may break. */
function partsOf(word: string): readonly string[] {
  if (!MAYBE_UNSPACED.test(word)) return [word];
  const parts: string[] = [];
  let from = 0;
  for (const match of word.matchAll(unspacedPattern())) {
    if (match.index > from) parts.push(word.slice(from, match.index));
    parts.push(match[0]);
    from = match.index + match[0].length;
  }
  if (from < word.length) parts.push(word.slice(from));
  return parts;
}

/** Wraps streamed text at word boundaries. */
export class WordWrap {
  readonly #columns: () => number;
  /** Prefix for all rows of a line after the first. */
  #hang = '';
  #used = 0;
  /** Whether this row has text after its hanging indent. */
  #hasText = false;
  #word = '';
  #open: readonly string[] = [];

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Adds text and returns the output that can no longer change. */
  push(text: string): string {
    let shown = '';
    for (const [token] of text.matchAll(TOKENS)) {
      if (token === '\n') {
        shown += `${this.flush()}\n`;
        this.#newLine();
      } else if (token.startsWith(' ')) {
        shown += this.flush() + this.#space(token);
      } else this.#word += token;
    }
    // A word that fits no row is not waited for.
    const isLong = this.#word.length > Math.min(LONGEST_WORD, this.#columns());
    return shown + this.#flushParts(isLong ? 0 : 1);
  }

  /** Starts a line with a prefix. `hang` is the prefix for its remaining rows. */
  begin(prefix: string, hang: string = ' '.repeat(columnsOf(prefix))): string {
    const before = this.flush();
    const room = this.#columns() - columnsOf(hang) >= LEAST_ROOM;
    this.#hang = room ? hang : '';
    this.#used += columnsOf(prefix);
    return before + prefix;
  }

  /** Returns the rest of the text, including a word that may be incomplete. */
  flush(): string {
    return this.#flushParts(0);
  }

  /** Starts a new line after a line break was written by other code. */
  restart(): void {
    this.#newLine();
    this.#word = '';
    this.#open = [];
  }

  #newLine(): void {
    this.#hang = '';
    this.#used = 0;
    this.#hasText = false;
  }

  /**
   * Returns the parts of the current word. If `kept` is 1, holds back the last part, because more text may
   * follow.
   */
  #flushParts(kept: 0 | 1): string {
    if (this.#word === '') return '';
    const parts = partsOf(this.#word);
    const last = parts.at(-1) ?? '';
    const isKept = kept === 1 && !isBreakable(last);
    let shown = '';
    for (const part of isKept ? parts.slice(0, -1) : parts) shown += this.#place(part);
    this.#word = isKept ? last : '';
    return shown;
  }

  /**
   * Handles spaces. At the start of a line they are an indent, which is repeated on the line's remaining
   * rows. At the end of a row they are removed.
   */
  #space(spaces: string): string {
    const room = this.#columns() - this.#used;
    if (!this.#hasText && this.#used === 0 && room - spaces.length >= LEAST_ROOM) this.#hang = spaces;
    const shown = spaces.slice(0, room);
    this.#used += shown.length;
    return shown;
  }

  #place(part: string): string {
    const width = columnsOf(part);
    if (this.#used + width <= this.#columns()) return this.#put(part, width);
    if (!this.#hasText || width > this.#columns()) return this.#placePieces(part);
    const broken = this.#break();
    return (
      broken + (this.#used + width <= this.#columns() ? this.#put(part, width) : this.#placePieces(part))
    );
  }

  #placePieces(part: string): string {
    const columns = this.#columns();
    const rest = Math.max(1, columns - columnsOf(this.#hang));
    let shown = '';
    for (const piece of piecesOf(part, rest, () => (this.#used < columns ? columns - this.#used : rest))) {
      const width = columnsOf(piece);
      if (this.#used + width > this.#columns() && this.#hasText) shown += this.#break();
      shown += this.#put(piece, width);
    }
    return shown;
  }

  #put(text: string, width: number): string {
    this.#used += width;
    this.#hasText ||= width > 0;
    if (text.includes('\u001B')) for (const [, codes = ''] of text.matchAll(STYLE)) this.#style(codes);
    return text;
  }

  #style(codes: string): void {
    if (codes === '' || codes === '0') this.#open = [];
    else if (CLOSES[codes] === undefined) this.#open = [...this.#open, codes];
    else this.#open = this.#open.filter((open) => CLOSES[codes]?.test(open) !== true);
  }

  /** W3 */
  #break(): string {
    this.#used = columnsOf(this.#hang);
    this.#hasText = false;
    const closed = this.#open.length === 0 ? '' : '\u001B[0m';
    return `${closed}\n${this.#hang}${this.#open.map((codes) => `\u001B[${codes}m`).join('')}`;
  }
}

/** Maximum length of a word that is held back until it is complete. */
const LONGEST_WORD = 1000;
/** Minimum number of columns that a hanging indent leaves for text. */
const LEAST_ROOM = 12;

/** Wraps escaped text at word boundaries, and returns at least one row. */
export function wrapWords(shown: string, columns: number, hang = ''): readonly string[] {
  if (columnsOf(shown) <= columns && !shown.includes('\n')) return [shown];
  const wrap = new WordWrap(() => Math.max(1, columns));
  const begun = hang === '' ? '' : wrap.begin('', hang);
  return (begun + wrap.push(shown) + wrap.flush()).split('\n');
}
