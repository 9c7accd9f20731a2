import { lexer } from 'marked';
import type { Tokens } from 'marked';

import { columnsOf } from '../../core/index.js';
import type { Theme } from '../theme.js';
import { padToWidth } from '../width.js';
import { LONGEST_INLINE, showInline, showTokens } from './inline.js';

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** One per row. */
  readonly cells: readonly string[];
  readonly width: number;
}

function isTable(token: { readonly type: string }): token is Tokens.Table {
  return token.type === 'table';
}

function tableColumns(table: Tokens.Table, theme: Theme): readonly Column[] {
  // A line break would leave the row; what is in a cell is one line.
  const show = (cell: Tokens.TableCell): string => showTokens(cell.tokens, theme).replaceAll('\n', ' ');
  return table.header.map((head, index) => {
    const title = show(head);
    const cells = table.rows.flatMap((row) => row.slice(index, index + 1).map(show));
    const width = Math.max(...[title, ...cells].map(columnsOf));
    return { title, cells, width, align: head.align === 'right' ? 'right' : 'left' };
  });
}

function asGrid(columns: readonly Column[], rows: number, theme: Theme): string {
  const padded = columns.map(({ title, align, cells, width }) => [
    theme.strong(padToWidth(title, width, align)),
    theme.dim('─'.repeat(width)),
    ...cells.map((cell) => padToWidth(cell, width, align)),
  ]);
  const line = (row: number): string =>
    padded
      .map((texts) => texts[row])
      .join('  ')
      .trimEnd();
  return Array.from({ length: rows + 2 }, (_, row) => `${line(row)}\n`).join('');
}

/** Formats a table for a narrow screen with one line per cell, so that nothing is cut. */
function asRecords(columns: readonly Column[], rows: number, theme: Theme): string {
  const record = (row: number): string =>
    columns.map(({ title, cells }) => [theme.strong(title), ': ', cells[row], '\n'].join('')).join('');
  return Array.from({ length: rows }, (_, row) => record(row)).join(`${theme.dim('─')}\n`);
}

/**
 * Formats a table as a grid if it fits the width, otherwise as records. A malformed table, or one with long
 * lines, is shown as text.
 */
export function showTable(lines: readonly string[], theme: Theme, columns: number): string {
  const isShort = lines.every((line) => line.length <= LONGEST_INLINE);
  const table = isShort ? lexer(`${lines.join('\n')}\n`).find(isTable) : undefined;
  if (table === undefined) return lines.map((line) => `${showInline(line, theme)}\n`).join('');
  const shown = tableColumns(table, theme);
  const total = shown.reduce((sum, { width }) => sum + width + 2, -2);
  return total <= columns
    ? asGrid(shown, table.rows.length, theme)
    : asRecords(shown, table.rows.length, theme);
}
