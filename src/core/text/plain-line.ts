import type { Shown } from './escape.js';
import { escapeText, laidOut } from './escape.js';
import { characterColumns, columnsOf } from './width.js';

/** A piece of the notation, or a character with its marks: what a cut must not split. */
const piecesPattern = () => /\\u\{[0-9A-F]+\}|\\\{[^}]*\}|\\.|\P{M}\p{M}*/gu;

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
  for (const [piece] of shown.matchAll(piecesPattern())) {
    const width = characterColumns(piece);
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
