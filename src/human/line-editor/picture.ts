import { charactersOf, columnsOf, escapeText, wrapShown, wrapWords } from '../../core/index.js';
import type { Item, LineState } from './state.js';
import type { Picture, Row } from '../device/region.js';
import { plainRow } from '../device/region.js';

export interface LineLook {
  /** Prompt of the first row, colored by `paint`. Must be plain text without untrusted parts. */
  readonly prompt: string;
  readonly paint: (text: string) => string;
  /** Whether to show a dot instead of each character. */
  readonly secret?: boolean;
  /** Lines under the text: hints and errors, wrapped at words. */
  readonly below: readonly { readonly text: string; readonly paint: (text: string) => string }[];
}

/** Joiners and emoji selectors, which only change how adjacent characters look. */
const JOINERS = /\u200d|\ufe0f/gu;

function shownItem(item: Item, secret: boolean): string {
  if (secret) return '•';
  if (item.pastedLines !== undefined) {
    return item.pastedLines > 1 ? `[${item.pastedLines} lines]` : `[${item.text.length} characters]`;
  }
  if (item.text === '\\') return item.text;
  if (item.text === '\t') return '    ';
  return escapeText(item.text.replace(JOINERS, ''));
}

/** Returns the text as displayed: escaped, with line breaks kept and pasted blocks folded. */
export function shownText(state: LineState): string {
  return state.items.map((item) => (item.text === '\n' ? '\n' : shownItem(item, false))).join('');
}

/** Minimum number of columns that a prompt leaves for the text. */
const LEAST_ROOM = 6;

/** An editor's text wrapped to rows, with its cursor. */
class Layout {
  readonly rows: { text: string; columns: number }[] = [];
  cursor = { row: 0, column: 0 };
  readonly #width: number;
  readonly #continuation: string;

  constructor(look: LineLook, width: number) {
    this.#width = width;
    const prompt = cutTo(look.prompt, width - LEAST_ROOM);
    this.#continuation = ' '.repeat(columnsOf(prompt));
    this.rows.push({ text: look.paint(prompt), columns: columnsOf(prompt) });
  }

  /** Columns available in an empty row. */
  get room(): number {
    return this.#width - this.#continuation.length;
  }

  markCursor(): void {
    this.cursor = { row: this.rows.length - 1, column: this.#last.columns };
  }

  nextRow(): void {
    this.rows.push({ text: this.#continuation, columns: this.#continuation.length });
  }

  /** Starts a new row if a piece of this width does not fit in the current row. */
  makeRoom(columns: number): void {
    const indent = this.#continuation.length;
    if (this.#last.columns + columns > this.#width && this.#last.columns > indent) this.nextRow();
  }

  add(text: string, columns: number): void {
    this.#last.text += text;
    this.#last.columns += columns;
  }

  get #last(): { text: string; columns: number } {
    const last = this.rows.at(-1);
    return last ?? { text: '', columns: 0 };
  }
}

function addItem(layout: Layout, item: Item, secret: boolean): void {
  if (item.text === '\n' && !secret) {
    layout.nextRow();
    return;
  }
  const text = shownItem(item, secret);
  // What is escaped may be wider than a row.
  for (const piece of wrapShown(text, layout.room)) {
    layout.makeRoom(columnsOf(piece));
    layout.add(piece, columnsOf(piece));
  }
}

/**
 * Returns the rows around the cursor. If rows above them are hidden, the first row shows the number of hidden
 * rows.
 */
function windowed(
  rows: readonly Row[],
  cursorRow: number,
  most: number,
): { rows: readonly Row[]; first: number } {
  if (rows.length <= most) return { rows, first: 0 };
  const first = Math.max(0, Math.min(cursorRow - most + 1, rows.length - most));
  const shown = rows.slice(first, first + most);
  const note = plainRow(`… ${first} lines above`);
  return { rows: first > 0 ? [note, ...shown.slice(1)] : shown, first };
}

function cutTo(text: string, width: number): string {
  let cut = '';
  let columns = 0;
  for (const character of charactersOf(text)) {
    columns += columnsOf(character);
    if (columns > width) return cut;
    cut += character;
  }
  return cut;
}

/** Draws a line editor for a screen of the given size. */
export function pictureOf(
  state: LineState,
  look: LineLook,
  size: { columns: number; rows: number },
): Picture {
  // The last column stays free: a terminal that stands behind it is not where it seems to be.
  const width = size.columns - 1;
  const secret = look.secret ?? false;
  const layout = new Layout(look, width);
  for (const [index, item] of state.items.entries()) {
    if (index === state.cursor) {
      if (item.text !== '\n') layout.makeRoom(columnsOf(shownItem(item, secret)));
      layout.markCursor();
    }
    addItem(layout, item, secret);
  }
  if (state.cursor >= state.items.length) {
    layout.makeRoom(1);
    layout.markCursor();
  }
  const below = look.below.flatMap(({ text, paint }) =>
    wrapWords(text, width, '  ')
      .map((row) => row.trimEnd())
      .map((row) => ({ text: paint(row), columns: columnsOf(row) })),
  );
  const shown = windowed(layout.rows, layout.cursor.row, Math.max(2, size.rows - 1 - below.length));
  const { row, column } = layout.cursor;
  return { rows: [...shown.rows, ...below], cursor: { row: row - shown.first, column } };
}
