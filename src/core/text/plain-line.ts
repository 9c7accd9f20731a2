import type { Shown } from './escape.js';
import { escapeText, laidOut } from './escape.js';
import { columnsOf } from './width.js';

/** A piece of the notation, or a character with its marks: what a cut must not split. */
const piecesPattern = () => /\\u\{[0-9A-F]+\}|\\\{[^}]*\}|\\.|\P{M}\p{M}*/gu;

/**
 * Breaks escaped text into rows that fit a number of columns, without splitting the notation; at least one row.
 * A piece of notation that is wider than a row has a row of its own. Time is linear.
 */
export function wrapShown(shown: string, columns: number): readonly string[] {
  if (columnsOf(shown) <= columns) return [shown];
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const [piece] of shown.matchAll(piecesPattern())) {
    const width = columnsOf(piece);
    if (used + width > columns && row !== '') {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += piece;
    used += width;
  }
  return [...rows, row];
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
  const [head = ''] = wrapShown(shown, maxWidth - 1);
  return laidOut(columnsOf(head) < maxWidth ? `${head}…` : '…');
}
