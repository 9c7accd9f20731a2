import type { Shown } from './escape.js';
import { escapeText, laidOut } from './escape.js';
import { charactersOf, columnsOf } from './width.js';

/** Letters of one column that no other joins, unless a letter of another kind follows. */
const SIMPLE = String.raw` -[\]-~\u00A1-\u00AC\u00AE-\u02FF\u2010-\u2027`;
/** Our own styles, a piece of the notation, simple letters, or text between. */
const UNBROKEN = new RegExp(
  String.raw`\u001B\[[0-9;]*m|\\u\{[0-9A-F]+\}|\\\{[^}]{0,40}\}|\\[\\nt]|[${SIMPLE}]+(?![^${SIMPLE}\u001B\\])|[${SIMPLE}]?[^${SIMPLE}\u001B\\]+|[\u001B\\]`,
  'g',
);
const ALL_SIMPLE = new RegExp(`^[${SIMPLE}]*$`);

/**
 * Splits escaped text into pieces that a break must not split: our own styles, the notation, letters with their marks.
 * Simple letters may be split anywhere: as many of them are a piece as there is `room` for when it is asked for. No
 * piece is wider than a row of `columns`, but a piece of notation.
 */
export function* piecesOf(shown: string, columns: number, room: () => number): Iterable<string> {
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
 * Breaks escaped text into rows that fit a number of columns, without splitting the notation; at least one row.
 * A piece of notation that is wider than a row has a row of its own. Time is linear.
 */
export function wrapShown(shown: string, columns: number): readonly string[] {
  return columnsOf(shown) <= columns ? [shown] : [...rowsOf(shown, columns)];
}

/** The first row of `wrapShown`, at the cost of that row. */
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
 * Text on one line: runs of spaces, tabs and line breaks are one space. Any other white space stays, as what it is: it is
 * spelled out where it is shown.
 */
export function onOneLine(text: string): string {
  return text
    .replaceAll(/(?:[ \t\n]|\r\n)+/g, ' ')
    .replace(/^ /, '')
    .replace(/ $/, '');
}

/**
 * Text from outside as one safe line for a list: escaped, and cut with `…` where it is wider than `maxWidth` columns.
 * What a person decides on is not shown this way: a cut there must say how much it hides.
 */
export function plainLine(text: string, maxWidth: number): Shown {
  // Every code point shows, marks aside; what is far beyond the width needs no escaping.
  const start = text.length > maxWidth * 4 + 64 ? text.slice(0, maxWidth * 4 + 64) : text;
  const shown = escapeText(start);
  if (start === text && columnsOf(shown) <= maxWidth) return shown;
  const head = firstRow(shown, maxWidth - 1);
  return laidOut(columnsOf(head) < maxWidth ? `${head}…` : '…');
}
