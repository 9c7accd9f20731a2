import type { Interrupt } from '../data/interrupt.js';
import { isJsonObject } from '../data/json.js';
import { escapeText } from '../data/escape.js';
import { wrapShown } from '../data/plain-line.js';
import { columnsOf } from '../data/width.js';
import type { Resolution } from '../data/resolution.js';
import type { DiffLine } from '../data/diff.js';
import { readDiff, withContext } from '../data/diff.js';

/** A row of a change that was approved: safe text that fits. */
export interface ChangeRow {
  /** `own` is a row of ours: a gap, or how much is left out. */
  readonly tone: 'removed' | 'added' | 'own';
  readonly text: string;
}

/** The signs of rows of a change. */
export interface ChangeSigns {
  readonly removed: string;
  /** Before a row that continues a line. */
  readonly wrapped: string;
  readonly gap: string;
  readonly ellipsis: string;
  /** The key that shows a change whole; absent if none does. */
  readonly unfold?: string | undefined;
}

/** The rows that a change takes at most below its decision. */
const MOST_ROWS = 10;
const INDENT = '    ';

/** The lines of the change that a decision made, as its question showed them, edited or not; none if it made none, or one that nobody saw. */
export function appliedChange(interrupt: Interrupt, resolution: Resolution): readonly DiffLine[] {
  const { source, payload } = interrupt;
  if (resolution.action !== 'restart' || source.type !== 'tool' || source.raisedBy !== 'approval') return [];
  const asked = resolution.input === undefined ? payload : resolution.shown?.request;
  if (asked === undefined || !isJsonObject(asked)) return [];
  const { diff } = asked;
  return typeof diff === 'string' ? (readDiff(diff)?.lines ?? []) : [];
}

/** True for a change that is not whole below its decision. */
export function isFoldedChange(lines: readonly DiffLine[], columns: number, signs: ChangeSigns): boolean {
  return rowsOf(bare(lines), columns, signs).length > MOST_ROWS;
}

/**
 * The rows of a change below the line of its decision, without the lines around it: all of them if they are few, else
 * those of its first piece and how many more there are.
 */
export function changeRows(
  lines: readonly DiffLine[],
  columns: number,
  signs: ChangeSigns,
): readonly ChangeRow[] {
  const rows = rowsOf(bare(lines), columns, signs);
  if (rows.length <= MOST_ROWS) return rows;
  const end = lines.findIndex(isGap);
  const first = rowsOf(bare(end < 0 ? lines : lines.slice(0, end)), columns, signs);
  const shown = first.slice(0, MOST_ROWS - 1);
  const left = rows.length - shown.length;
  const how = signs.unfold === undefined ? '' : ` · ${signs.unfold} shows all`;
  const more = `${INDENT}${signs.ellipsis} ${left} more ${left === 1 ? 'row' : 'rows'}${how}`;
  return [...shown, { tone: 'own', text: more }];
}

/** The lines of a change as text of one line each, with what is around it, for a view that breaks them itself. */
export function changeLines(lines: readonly DiffLine[], signs: ChangeSigns): readonly string[] {
  return rowsOf(lines, Infinity, signs).map(({ text }) => text.slice(INDENT.length));
}

/** The changed lines, with one gap between those that are not together. */
function bare(lines: readonly DiffLine[]): readonly DiffLine[] {
  return withContext(lines, 0).filter((line, at, all) => !isGap(line) || (at > 0 && !isGap(all[at - 1])));
}

function isGap(line: DiffLine | undefined): boolean {
  return line?.type === 'gap' && line.text === '';
}

function rowsOf(
  lines: readonly DiffLine[],
  columns: number,
  { removed, wrapped, gap }: ChangeSigns,
): readonly ChangeRow[] {
  const signs = { same: ' ', removed, added: '+', gap: ' ' };
  const width = Math.max(0, ...lines.map(({ number = 0 }) => String(number).length));
  return lines.flatMap(({ type, text, number }) => {
    const at = number === undefined ? gap : String(number);
    const label = `${INDENT}${at.padStart(width)} ${signs[type]} `;
    const hang = `${' '.repeat(Math.max(0, columnsOf(label) - 2))}${wrapped} `;
    const room = Math.max(8, columns - 1 - columnsOf(label));
    const tone = type === 'removed' || type === 'added' ? type : 'own';
    return wrapShown(escapeText(text), room).map((row, index): ChangeRow => ({
      tone,
      text: `${index === 0 ? label : hang}${row}`.trimEnd(),
    }));
  });
}
