import { columnsOf, firstRow } from '../core/index.js';

/** Cuts safe text to `columns` columns with an ellipsis. Never splits an escape. */
export function cutToWidth(text: string, columns: number, ellipsis = '…'): string {
  // What is far beyond the width need not be measured: no piece is longer.
  const start = text.length > columns * 16 + 64 ? text.slice(0, columns * 16 + 64) : text;
  if (start === text && columnsOf(text) <= columns) return text;
  const room = columns - columnsOf(ellipsis);
  const head = firstRow(start, room);
  return columnsOf(head) <= room ? head + ellipsis : ellipsis;
}

/** Pads text with spaces to `columns` columns. Longer text is returned unchanged. */
export function padToWidth(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const space = ' '.repeat(Math.max(0, columns - columnsOf(text)));
  return align === 'left' ? text + space : space + text;
}
