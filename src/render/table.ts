import type { Shown } from '../core/index.js';
import { columnsOf, escapeText, wrapWords, laidOut } from '../core/index.js';
import type { Style, Theme } from './theme.js';
import { cutToWidth } from './width.js';

interface ColumnBase<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  /**
   * How to narrow the column if the table is too wide; the widest column is narrowed first. Default: not
   * narrowed.
   */
  readonly narrows?: 'cut' | 'wrap';
  /** Whether to show the column below its row if there is not enough room. Only for the last column. */
  readonly below?: true;
  readonly style?: (row: Row) => Style;
}

/** A column of untrusted text, which is escaped when drawn, or of safe text. */
export type Column<Row> = ColumnBase<Row> &
  ({ readonly text: (row: Row) => string } | { readonly shown: (row: Row) => Shown });

export interface TableOptions {
  readonly theme: Theme;
  /** Table width in columns. Default: unlimited. */
  readonly columns?: number | undefined;
  /** Default true. */
  readonly titles?: boolean;
}

const GAP = '  ';
const NARROWEST = 8;
/** Minimum readable width of a text column. Anything narrower shows only a word or two per row. */
const READABLE = 30;
const BELOW = '  ';
const NOTHING: Cell = { text: '', width: 0 };

/** Text and its width, cached because measuring is slow. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

function measured(text: string): Cell {
  return { text, width: columnsOf(text) };
}

/**
 * The cells of a column, stored as arrays instead of one object per cell, because there may be ten thousand.
 */
interface Cells {
  readonly texts: readonly string[];
  readonly widths: readonly number[];
}

function cellsOf<Row>(column: Column<Row>, rows: readonly Row[]): Cells {
  const texts = rows.map((row) => ('text' in column ? escapeText(column.text(row)) : column.shown(row)));
  return { texts, widths: texts.map(columnsOf) };
}

/** Cuts or wraps a cell to the width of its column. Returns at least one row. */
function rowsOf(cell: Cell, { width, narrows, ellipsis }: Place): readonly Cell[] {
  if (cell.width <= width) return [cell];
  if (narrows === 'wrap') return wrapWords(cell.text, width).map(measured);
  return [measured(cutToWidth(cell.text, width, ellipsis))];
}

/** Pads one row of a cell to the column's width, except in the last column. */
function placed({ text, width: taken }: Cell, { width, align, fills }: Place): string {
  const length = text.length + Math.max(0, width - taken);
  if (align === 'right') return text.padStart(length);
  return fills ? text.padEnd(length) : text;
}

type StyleOf<Row> = (column: Column<Row>) => Style | undefined;

/** Layout of a column's cells. */
interface Place {
  readonly width: number;
  readonly align: 'left' | 'right' | undefined;
  readonly narrows: 'cut' | 'wrap' | undefined;
  readonly fills: boolean;
  readonly ellipsis: string;
}

/** Narrows the widest flexible column until the table fits or nothing can be narrowed. */
function fit<Row>(widths: number[], columns: readonly Column<Row>[], room: number): readonly number[] {
  const fitted = [...widths];
  const excess = (): number => fitted.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - room;
  while (excess() > 0) {
    const widest = columns
      .map((column, index) => ({ index, width: column.narrows === undefined ? 0 : (fitted[index] ?? 0) }))
      .reduce((left, right) => (right.width > left.width ? right : left));
    if (widest.width <= NARROWEST) break;
    fitted[widest.index] = Math.max(NARROWEST, widest.width - 1);
  }
  return fitted;
}

/**
 * Formats rows below their column titles. Cells are padded, and are cut or wrapped to fit the width. Empty if
 * there are no rows.
 */
export function formatTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  options: TableOptions,
): Shown {
  const last = columns.at(-1);
  const { theme, columns: room } = options;
  if (last?.below !== true || room === undefined || !isTight(rows, columns, room))
    return table(rows, columns, options);
  const text = (row: Row): string => ('text' in last ? escapeText(last.text(row)) : last.shown(row));
  return table(rows, columns.slice(0, -1), options, (row) =>
    wrapWords(text(row), Math.max(NARROWEST, room - BELOW.length))
      .map((line) => `${BELOW}${theme.dim(line.trimEnd())}\n`)
      .join(''),
  );
}

/** Whether the last column does not fit next to the others and would be too narrow to read. */
function isTight<Row>(rows: readonly Row[], columns: readonly Column<Row>[], room: number): boolean {
  const widths = columns.map((column) =>
    cellsOf(column, rows).widths.reduce((most, width) => Math.max(most, width), column.title.length),
  );
  const needed = widths.at(-1) ?? 0;
  const left = widths.slice(0, -1).reduce((rest, width) => rest - width - GAP.length, room);
  return left < Math.min(needed, READABLE);
}

function table<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { theme, columns: room = Number.POSITIVE_INFINITY, titles = true }: TableOptions,
  below: (row: Row) => string = () => '',
): Shown {
  if (rows.length === 0) return laidOut('');
  const cells = columns.map((column) => cellsOf(column, rows));
  const cellsAt = (at: number): readonly Cell[] =>
    cells.map(({ texts, widths }) => ({ text: texts[at] ?? '', width: widths[at] ?? 0 }));
  const heads = columns.map((column) => measured(column.title));
  const natural = cells.map(({ widths }, index) =>
    widths.reduce((most, width) => Math.max(most, width), titles ? (heads[index]?.width ?? 0) : 0),
  );
  const widths = fit(natural, columns, room);
  const places = columns.map(({ align, narrows }, index): Place => {
    const { ellipsis } = theme.symbols;
    return { width: widths[index] ?? 0, align, narrows, fills: index < columns.length - 1, ellipsis };
  });
  const single = (shown: readonly Cell[], styleOf: StyleOf<Row>): string => {
    let text = '';
    places.forEach((place, index) => {
      const cell = placed(shown[index] ?? NOTHING, place);
      const column = columns[index];
      text += `${index === 0 ? '' : GAP}${(column && styleOf(column)?.(cell)) ?? cell}`;
    });
    return `${text.trimEnd()}\n`;
  };
  const line = (shown: readonly Cell[], styleOf: StyleOf<Row>): string => {
    // Of thousands of rows most are one line.
    if (places.every(({ width }, index) => (shown[index] ?? NOTHING).width <= width))
      return single(shown, styleOf);
    const rows = places.map((place, index) => rowsOf(shown[index] ?? NOTHING, place));
    const height = Math.max(...rows.map(({ length }) => length));
    const pieceAt = (at: number): readonly Cell[] => rows.map((row) => row[at] ?? NOTHING);
    return Array.from({ length: height }, (_, at) => single(pieceAt(at), styleOf)).join('');
  };
  const lines = rows.map((row, index) => line(cellsAt(index), (column) => column.style?.(row)) + below(row));
  return laidOut((titles ? line(heads, () => theme.dim) : '') + lines.join(''));
}
