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
  /** Rows above the line and what waits: the steps of the model. */
  readonly above: readonly string[];
  /** Lines that wait, oldest first. */
  readonly queue: readonly { readonly shown: string }[];
  readonly hints: readonly string[];
  readonly palette: Palette | undefined;
  readonly status: readonly StatusPart[];
}

/** A part of the row under the line. */
export interface StatusPart {
  readonly text: string;
  /** Where the row is too narrow, the part with the lowest number gives way first. */
  readonly stays: number;
  /** Stands in its place then; absent: nothing does. */
  readonly shorter?: StatusPart;
}

/** Lines of the queue that are shown. */
const QUEUE_ROWS = 5;
const SEPARATOR = ' · ';
/** Screens with fewer rows show no status. */
const ROWS_FOR_STATUS = 6;

/** The parts as they fit: one after the other gives way, to its shorter form or to nothing, but for the last one. */
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
