// Invariants:
// R1 Between draws the cursor stands in the region, at the place the last draw asked for.
// R2 A region never has more rows than the screen: what is above the screen could not be taken away again.
// R3 No row is wider than the screen, whatever was claimed of it: it is cut, and the terminal breaks none.
import { columnsOf, firstRow, wrapShown, laidOut } from '../../core/index.js';
import { unbroken } from './sequences.js';

/** The output that a region is drawn on. */
export interface RegionOutput {
  readonly columns: number;
  write(text: string): void;
}

/** A row of a region, and its width in columns, not counting color codes. */
export interface Row {
  readonly text: string;
  readonly columns: number;
}

export interface Picture {
  /** Each row is narrower than the terminal. */
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
}

const CLEAR_BELOW = '\r\u001b[J';
/**
 * Clears the current row, then the rows below it. If everything were cleared from the top left corner, tmux
 * would save the screen in its history.
 */
const CLEAR_ROWS = '\r\u001b[K\u001b[B\u001b[J\u001b[A';

/** Creates a row of plain text. */
export function plainRow(text: string): Row {
  return { text, columns: columnsOf(text) };
}

// Only our own styles are in text that is drawn: everything else was escaped.
// oxlint-disable-next-line no-control-regex
const STYLES = /\u001B\[[0-9;]*m/g;
const PLAIN = '\u001b[0m';

/** Counts the leading rows that are narrower than the screen. All other rows would be cut off (R3). */
export function shownWhole(rows: readonly string[], columns: number): number {
  const cut = rows.findIndex((row) => columnsOf(row) >= columns);
  return cut === -1 ? rows.length : cut;
}

/** Wraps styled text into rows. Only text that fits on a single row keeps its styles. */
export function rowsOf(text: string, columns: number): readonly Row[] {
  const taken = columnsOf(text);
  if (taken <= columns) return [{ text: text.includes('\u001b') ? text + PLAIN : text, columns: taken }];
  return wrapShown(text.replace(STYLES, ''), columns).map(plainRow);
}

function move(count: number, direction: 'A' | 'B' | 'C'): string {
  return count > 0 ? `\u001b[${count}${direction}` : '';
}

/** The bottom rows of the screen, redrawn in place. */
export class Region {
  readonly #terminal: RegionOutput;
  #drawn: Picture | undefined;

  constructor(terminal: RegionOutput) {
    this.#terminal = terminal;
  }

  /** Draws a picture in a single write, between the two strings in `frame`. */
  draw(picture: Picture, frame: readonly [string, string] = ['', '']): void {
    const { cursor } = picture;
    const rows = picture.rows.map((row) => this.#fitting(row));
    const below = rows.length - 1 - cursor.row;
    this.#terminal.write(
      frame[0] +
        this.#cleared() +
        unbroken(rows.map(({ text }) => laidOut(text)).join('\r\n')) +
        move(below, 'A') +
        '\r' +
        move(cursor.column, 'C') +
        frame[1],
    );
    this.#drawn = { rows, cursor };
  }

  /** R3 */
  #fitting({ text }: Row): Row {
    const { columns } = this.#terminal;
    const taken = columnsOf(text);
    if (taken <= columns) return { text, columns: taken };
    return plainRow(firstRow(text.replace(STYLES, ''), columns));
  }

  /** Clears the region; the next drawing starts at its first row. */
  clear(): void {
    if (this.#drawn === undefined) return;
    this.#terminal.write(this.#cleared());
    this.#drawn = undefined;
  }

  /** Leaves the region on screen and moves the cursor to the line below it. */
  leave(): void {
    if (this.#drawn === undefined) return;
    const { rows, cursor } = this.#drawn;
    this.#terminal.write(`${move(rows.length - 1 - cursor.row, 'B')}\r\n`);
    this.#drawn = undefined;
  }

  /** Forgets what is on screen; the next drawing starts at the cursor. */
  forget(): void {
    this.#drawn = undefined;
  }

  /** Returns the sequence that moves to the region's first row and clears everything from there on. */
  #cleared(): string {
    const isAlone = this.#drawn === undefined || this.#drawn.rows.length === 1;
    return this.#toTop() + (isAlone ? CLEAR_BELOW : CLEAR_ROWS);
  }

  /**
   * Returns the sequence that moves to the region's first row. If the terminal has become narrower, it has
   * wrapped the rows that no longer fit. Terminals differ in whether they also wrap the cursor's row. In
   * doubt, leaves a row of the region on the screen, because clearing too many rows could remove other
   * output.
   */
  #toTop(): string {
    if (this.#drawn === undefined) return '';
    const { columns } = this.#terminal;
    const { rows, cursor } = this.#drawn;
    let up = 0;
    for (const row of rows.slice(0, cursor.row)) up += Math.max(1, Math.ceil(row.columns / columns));
    return move(up, 'A');
  }
}
