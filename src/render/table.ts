import { escapeText } from '../core/index.js';
import type { Style, Theme } from './theme.js';
import { cutToWidth, padToWidth, textWidth } from './width.js';

interface ColumnBase<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /** May be cut where the table is too wide; the widest such column is cut first. Default false. */
  readonly shrinks?: boolean;
  readonly style?: (row: Row) => Style;
}

/** A column holds text from outside, which is escaped here, or text that is safe already. */
export type Column<Row> = ColumnBase<Row> &
  ({ readonly text: (row: Row) => string } | { readonly shown: (row: Row) => string });

export interface TableOptions {
  readonly theme: Theme;
  /** Width to fit into, in columns. Default: nothing is cut. */
  readonly columns?: number | undefined;
  /** Default true. */
  readonly titles?: boolean;
}

const GAP = '  ';
const NARROWEST = 8;

function cellOf<Row>(column: Column<Row>, row: Row): string {
  return 'text' in column ? escapeText(column.text(row)) : column.shown(row);
}

/** Takes columns from the widest one that may shrink until the table fits or nothing more may be taken. */
function fit<Row>(widths: number[], columns: readonly Column<Row>[], room: number): readonly number[] {
  const fitted = [...widths];
  const excess = (): number => fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - room;
  while (excess() > 0) {
    const widest = columns
      .map((column, index) => ({ index, width: column.shrinks === true ? (fitted[index] ?? 0) : 0 }))
      .reduce((left, right) => (right.width > left.width ? right : left));
    if (widest.width <= NARROWEST) break;
    fitted[widest.index] = Math.max(NARROWEST, widest.width - 1);
  }
  return fitted;
}

/** Rows under their titles, one line each with a line break, columns padded and cut to the width; empty text for no rows. */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { theme, columns: room = Number.POSITIVE_INFINITY, titles = true }: TableOptions,
): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => columns.map((column) => cellOf(column, row)));
  const natural = columns.map((column, index) =>
    Math.max(titles ? textWidth(column.title) : 0, ...cells.map((line) => textWidth(line[index] ?? ''))),
  );
  const widths = fit(natural, columns, room);
  const line = (texts: readonly string[], styles: readonly (Style | undefined)[]): string =>
    texts
      .map((text, index) => {
        const width = widths[index] ?? 0;
        const cut = cutToWidth(text, width, theme.symbols.ellipsis);
        const isLast = index === texts.length - 1;
        const padded =
          isLast && columns[index]?.align !== 'right' ? cut : padToWidth(cut, width, columns[index]?.align);
        return styles[index]?.(padded) ?? padded;
      })
      .join(GAP)
      .trimEnd();
  const head = line(
    columns.map((column) => column.title),
    columns.map(() => theme.dim),
  );
  const lines = rows.map((row, index) =>
    line(
      cells[index] ?? [],
      columns.map((column) => column.style?.(row)),
    ),
  );
  return [...(titles ? [head] : []), ...lines].map((text) => `${text}\n`).join('');
}
