// Invariants:
// V1 What is appended is written once, above the region, in the order in which it came, and never again.
// V2 The region is never taller than the screen, and between draws the cursor stands in it, where its picture says.
// V3 A line that has no end yet is the first row of the region; it is appended when its end comes.
// V4 While another program, or the second screen, has the terminal, nothing is written: it comes afterwards.
// V5 Whatever is appended, by whomever, ends what the last line was about, and so does whatever may have written beside it.
import { LastLine } from '../../core/index.js';
import type { Picture, Row } from './region.js';
import { Region, rowsOf } from './region.js';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Something drawn at the bottom of the screen and redrawn as often as needed. */
export interface Layer {
  /** Returns at most `size.rows` rows, each narrower than `size.columns`; the screen cuts off the rest. */
  picture(size: ScreenSize): Picture;
}

/** A layer that is on screen. */
export interface ShownLayer {
  /** Requests a redraw. Several requests in a row cause only one redraw. */
  changed(): void;
  /** Removes the layer and shows the previous one. */
  close(): void;
}

export interface LiveScreenOptions {
  readonly size: () => ScreenSize;
  /** Writes to the terminal without escaping. */
  readonly write: (text: string) => void;
}

type Write = (text: string) => void;

/**
 * The row that shows the current activity, and the rows around it. Each row is cut off at the edge of the
 * screen.
 */
export interface ShownActivity {
  readonly text: string;
  readonly above?: readonly string[];
  /** If there is little room, only the last rows are shown. */
  readonly below?: readonly string[];
}

/** Screens with fewer rows do not show a header. */
const ROWS_FOR_HEADER = 10;
/** Maximum fraction of the screen for the rows below the activity. */
const PART_BELOW = 1 / 3;
const SYNC_ON = '\u001b[?2026h';
const SYNC_OFF = '\u001b[?2026l';
const CLEAR_ALL = '\u001b[H\u001b[2J';

/**
 * A terminal screen in two parts: text that is written once and scrolls away, and a region below it that is
 * continually redrawn.
 */
export class LiveScreen {
  readonly #options: LiveScreenOptions;
  readonly #region: Region;
  readonly #layers: Layer[] = [];
  readonly lastLine = new LastLine();
  #activity: ShownActivity | undefined;
  #header: readonly string[] = [];
  /** The unfinished line and its destination (V3). */
  #tail: { readonly text: string; readonly write: Write } | undefined;
  /** Calls received while another program was using the terminal (V4). */
  #kept: (() => void)[] = [];
  #covers = 0;
  #isDue = false;
  #shown = '';

  constructor(options: LiveScreenOptions) {
    this.#options = options;
    this.#region = new Region({
      get columns() {
        return options.size().columns;
      },
      write: options.write,
    });
  }

  get size(): ScreenSize {
    return this.#options.size();
  }

  /**
   * Writes text above the region. An unfinished line is shown as it grows. `about` is the call that the text
   * refers to.
   */
  append(text: string, write: Write = this.#options.write, about?: string): void {
    if (text === '') return;
    this.lastLine.wrote(about); // V5
    if (this.#covers > 0)
      this.#kept.push(() => {
        this.#put(text, write);
      });
    else this.#put(text, write);
  }

  #put(text: string, write: Write): void {
    // Two streams in one line: the line of the first one ends here (V1).
    const open = this.#tail?.write === write ? this.#tail.text : '';
    const ended = this.#tail !== undefined && open === '' ? this.#tail : undefined;
    const more = text.replace(/\r?\n/g, '\r\n');
    const last = more.lastIndexOf('\n') + 1;
    const whole = open + more;
    const end = last === 0 ? 0 : open.length + last;
    if (ended !== undefined || end > 0) {
      this.#clear();
      if (ended !== undefined) ended.write(`${ended.text}\r\n`);
      if (end > 0) write(whole.slice(0, end));
    }
    this.#tail = end < whole.length ? { text: whole.slice(end), write } : undefined;
    this.#drawSoon();
  }

  /** Shows a layer instead of the current one. */
  show(layer: Layer): ShownLayer {
    this.#layers.push(layer);
    this.#drawSoon();
    return {
      changed: () => {
        this.#drawSoon();
      },
      close: () => {
        const place = this.#layers.indexOf(layer);
        if (place < 0) return;
        this.#layers.splice(place, 1);
        this.#draw();
      },
    };
  }

  /** Sets the activity rows between the text and the layer. They remain visible with any layer. */
  setActivity(activity: ShownActivity | undefined): void {
    this.#activity = activity;
    this.#drawSoon();
  }

  /** Sets the rows above the activity row; each must be narrower than the screen. */
  setHeader(rows: readonly string[]): void {
    this.#header = rows;
    this.#drawSoon();
  }

  /** Clears the screen, then redraws the region at the top. */
  clearAll(): void {
    this.#clear(); // many terminals keep what is cleared above the screen: the region is no part of that
    this.#options.write(CLEAR_ALL);
    this.forget();
  }

  /** Stops drawing and writing until `uncover`, while another program uses the terminal. */
  cover(): void {
    if (this.#covers === 0) this.#clear();
    this.#covers += 1;
  }

  uncover(): void {
    this.#covers = Math.max(0, this.#covers - 1);
    if (this.#covers > 0) return;
    this.lastLine.wrote(); // V5
    const kept = this.#kept;
    this.#kept = [];
    for (const write of kept) write();
    this.#draw();
  }

  /** The size changed. */
  resized(): void {
    this.#shown = '';
    this.#draw();
  }

  /** Leaves the region on screen, with the cursor below it, before the process stops. */
  leave(): void {
    this.#region.leave();
  }

  /** Forgets what is on screen; the next drawing starts at the cursor. */
  forget(): void {
    this.lastLine.wrote(); // V5
    this.#region.forget();
    this.#shown = '';
    this.#draw();
  }

  /** Removes the region permanently, and ends an unfinished line. */
  close(): void {
    this.#activity = undefined;
    this.#layers.length = 0;
    this.#covers = 0;
    const kept = this.#kept;
    this.#kept = [];
    for (const write of kept) write();
    this.#clear();
    const tail = this.#tail;
    this.#tail = undefined;
    tail?.write(`${tail.text}\r\n`);
  }

  #clear(): void {
    this.#region.clear();
    this.#shown = '';
  }

  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#draw();
    });
  }

  #draw(): void {
    if (this.#covers > 0) return;
    const picture = this.#picture();
    if (picture === undefined) {
      this.#clear();
      return;
    }
    const { rows, cursor } = picture;
    const shown = `${cursor.row},${cursor.column}\n${rows.map(({ text }) => text).join('\n')}`;
    if (shown === this.#shown) return;
    this.#region.draw(picture, [SYNC_ON, SYNC_OFF]);
    this.#shown = shown;
  }

  /** Returns the picture to draw at the bottom; `undefined` if there is nothing to show. */
  #picture(): Picture | undefined {
    const size = this.#options.size();
    const above = this.#rowsAbove(size);
    const layer = this.#layers.at(-1);
    if (layer === undefined) return alone(above);
    const { rows, cursor } = layer.picture({ ...size, rows: size.rows - above.length });
    if (rows.length === 0) return alone(above);
    return lowest(
      { rows: [...above, ...rows], cursor: { ...cursor, row: cursor.row + above.length } },
      size.rows,
    );
  }

  #rowsAbove({ columns, rows }: ScreenSize): readonly Row[] {
    const tail = this.#tail === undefined ? [] : rowsOf(endOf(this.#tail.text, columns * rows), columns - 1);
    const inRows = (texts: readonly string[]): readonly Row[] =>
      texts.flatMap((text) => rowsOf(text, columns - 1).slice(0, 1));
    const { text, above = [], below = [] } = this.#activity ?? {};
    const activity = text === undefined ? [] : inRows([...above, text]);
    // On a low screen the header leaves its place to the line of the person.
    const header = activity.length > 0 && rows >= ROWS_FOR_HEADER ? inRows(this.#header) : [];
    const room = Math.floor(rows * PART_BELOW);
    // A line that is longer than the screen is seen whole when it has its end.
    const open = tail.slice(-Math.max(1, Math.floor(rows / 2)));
    return [...open, ...header, ...activity, ...(room === 0 ? [] : inRows(below.slice(-room)))];
  }
}

/** Cuts a picture to the height of the screen by dropping the top rows (V2). */
function lowest({ rows, cursor }: Picture, most: number): Picture {
  const over = Math.max(0, rows.length - most);
  return over === 0
    ? { rows, cursor }
    : { rows: rows.slice(over), cursor: { ...cursor, row: Math.max(0, cursor.row - over) } };
}

/**
 * Returns the visible end of a long line, so that a growing line does not have to be wrapped from its start
 * each time.
 */
function endOf(text: string, characters: number): string {
  return text.length <= 4 * characters ? text : text.slice(-4 * characters);
}

/** Returns the rows as a picture, with the cursor after the last one. */
function alone(rows: readonly Row[]): Picture | undefined {
  const last = rows.at(-1);
  return last && { rows, cursor: { row: rows.length - 1, column: last.columns } };
}
