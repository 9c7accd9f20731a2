import { columnsOf, plainLine, wrapWords } from '../../core/index.js';
import type { Picture, Row } from '../device/region.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { TerminalTheme } from '../device/theme.js';
import { plainRow } from '../device/region.js';
import type { LineState } from '../line-editor/state.js';
import { pictureOf } from '../line-editor/picture.js';
import type { Palette } from './palette.js';

export interface ComposerLook {
  readonly line: LineState;
  readonly prompt: string;
  /** Rows that show the model's steps, above the input line and the queue. */
  readonly above: readonly string[];
  /** Queued lines, oldest first. */
  readonly queue: readonly { readonly shown: string }[];
  readonly hints: readonly string[];
  readonly palette: Palette | undefined;
  readonly status: readonly StatusPart[];
}

/** A part of the status row below the input line. */
export interface StatusPart {
  readonly text: string;
  /** Priority in a narrow row: the part with the lowest number is shortened or dropped first. */
  readonly stays: number;
  /** Replaces the part if the row is too narrow. If absent, the part is dropped. */
  readonly shorter?: StatusPart;
}

/** Maximum number of queued lines to show. */
const QUEUE_ROWS = 5;
const SEPARATOR = ' · ';
/** Screens with fewer rows do not show the status. */
const ROWS_FOR_STATUS = 6;

/**
 * Fits the parts into one row by shortening or dropping them one at a time. The last remaining part is always
 * kept.
 */
function statusRow(parts: readonly StatusPart[], columns: number): string {
  const row = parts.map(({ text }) => text).join(SEPARATOR);
  if (columnsOf(row) <= columns) return row;
  const [first, ...others] = parts;
  if (first === undefined) return '';
  const least = others.reduce((one, other) => (other.stays < one.stays ? other : one), first);
  if (others.length === 0 && least.shorter === undefined) return plainLine(row, columns);
  const left = parts.flatMap((part) => (part === least ? (part.shorter ?? []) : part));
  return statusRow(left, columns);
}

function queueRows(queue: ComposerLook['queue'], columns: number): readonly string[] {
  const over = queue.length - QUEUE_ROWS;
  const rows = queue.slice(over > 0 ? over + 1 : 0).map(({ shown }) => {
    const [first = '', ...others] = shown.split('\n');
    const more = others.length === 0 ? '' : ' …';
    return plainLine(`queued  ${first}${more}`, columns);
  });
  return over > 0 ? [`queued  ${over + 1} more above`, ...rows] : rows;
}

export function composerPicture(look: ComposerLook, size: ScreenSize, theme: TerminalTheme): Picture {
  const width = size.columns - 1;
  const dim = (text: string): Row => ({ text: theme.dim(text), columns: columnsOf(text) });
  const room = Math.max(1, size.rows - 1);
  const status =
    look.status.length === 0 || size.rows < ROWS_FOR_STATUS ? [] : [dim(statusRow(look.status, width))];
  const offered = look.palette?.rows(size.columns) ?? [];
  const below = [
    ...offered.map((text) => plainRow(text)),
    ...(offered.length > 0 ? [] : look.hints.flatMap((hint) => wrapWords(hint, width, '  ').map(dim))),
  ].slice(0, Math.max(0, Math.floor(room / 2)));
  const others = below.length + status.length;
  const above = look.above.slice(0, Math.max(0, Math.floor((room - others) / 3))).map(dim);
  const queued = queueRows(look.queue, width);
  const mostQueued = Math.max(0, Math.floor((room - others - above.length) / 2));
  const queue = queued.slice(Math.max(0, queued.length - mostQueued)).map(dim);
  const editor = pictureOf(
    look.line,
    { prompt: look.prompt, paint: theme.key, below: [] },
    { ...size, rows: Math.max(3, size.rows - others - above.length - queue.length) },
  );
  const { row, column } = editor.cursor;
  return {
    rows: [...above, ...queue, ...editor.rows, ...below, ...status],
    cursor: { row: row + above.length + queue.length, column },
  };
}
