import { lexer } from 'marked';
import type { Tokens } from 'marked';

import type { Theme } from '../theme.js';
import { padToWidth, textWidth } from '../width.js';
import { LONGEST_INLINE, showInline, showTokens } from './inline.js';

interface Cells {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly alignments: readonly ('left' | 'right')[];
}

function isTable(token: { readonly type: string }): token is Tokens.Table {
  return token.type === 'table';
}

function cellsOf(table: Tokens.Table, theme: Theme): Cells {
  // A line break would leave the row; what is in a cell is one line.
  const show = (cell: Tokens.TableCell): string => showTokens(cell.tokens, theme).replaceAll('\n', ' ');
  return {
    header: table.header.map(show),
    rows: table.rows.map((row) => row.map(show)),
    alignments: table.align.map((align) => (align === 'right' ? 'right' : 'left')),
  };
}

function asGrid({ header, rows, alignments }: Cells, widths: readonly number[], theme: Theme): string {
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => padToWidth(cell, widths[index] ?? 0, alignments[index]))
      .join('  ')
      .trimEnd();
  const rule = theme.dim(widths.map((width) => '─'.repeat(width)).join('  '));
  return [theme.strong(line(header)), rule, ...rows.map(line)].map((text) => `${text}\n`).join('');
}

/** Too wide for the screen: one line a cell, so that nothing is cut. */
function asRecords({ header, rows }: Cells, theme: Theme): string {
  const record = (row: readonly string[]): string =>
    row.map((cell, index) => `${theme.strong(header[index] ?? '')}: ${cell}\n`).join('');
  return rows.map(record).join(`${theme.dim('─')}\n`);
}

/** A whole table, as a grid where it fits the width, else as records. Lines that are no table, or long ones, are shown as text. */
export function showTable(lines: readonly string[], theme: Theme, columns: number): string {
  const isShort = lines.every((line) => line.length <= LONGEST_INLINE);
  const table = isShort ? lexer(`${lines.join('\n')}\n`).find(isTable) : undefined;
  if (table === undefined) return lines.map((line) => `${showInline(line, theme)}\n`).join('');
  const cells = cellsOf(table, theme);
  const widths = cells.header.map((cell, index) =>
    Math.max(textWidth(cell), ...cells.rows.map((row) => textWidth(row[index] ?? ''))),
  );
  const total = widths.reduce((sum, width) => sum + width + 2, -2);
  return total <= columns ? asGrid(cells, widths, theme) : asRecords(cells, theme);
}
