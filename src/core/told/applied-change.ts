import type { Interrupt } from '../data/interrupt.js';
import { isJsonObject } from '../data/json.js';
import { escapeText } from '../data/escape.js';
import { wrapShown } from '../data/plain-line.js';
import { columnsOf } from '../data/width.js';
import type { Resolution } from '../data/resolution.js';
import type { DiffLine } from '../data/diff.js';
import { readDiff, withContext } from '../data/diff.js';

/** A row of an approved change. Its text is safe to print and fits the width. */
export interface ChangeRow {
  /** `own` is a row added by hitl: a gap, or the number of omitted rows. */
  readonly tone: 'removed' | 'added' | 'own';
  readonly text: string;
}

/** The symbols that mark rows of a change. */
export interface ChangeSigns {
  readonly removed: string;
  /** Symbol before a row that continues the previous one. */
  readonly wrapped: string;
  readonly gap: string;
  readonly ellipsis: string;
  /** The key that shows the whole change; absent if there is none. */
  readonly unfold?: string | undefined;
}

/** Maximum number of rows of a change to show below its decision. */
const MOST_ROWS = 10;
const INDENT = '    ';

/**
 * Returns the lines of the change that a decision approved, as the question showed them or as recorded with
 * an edit. Empty if there was no change or if it was not shown.
 */
export function appliedChange(interrupt: Interrupt, resolution: Resolution): readonly DiffLine[] {
  const { source, payload } = interrupt;
  if (resolution.action !== 'restart' || source.type !== 'tool' || source.raisedBy !== 'approval') return [];
  const asked = resolution.input === undefined ? payload : resolution.shown?.request;
  if (asked === undefined || !isJsonObject(asked)) return [];
  const { diff } = asked;
  return typeof diff === 'string' ? (readDiff(diff)?.lines ?? []) : [];
}

/** Whether a change is only partly shown below its decision. */
export function isFoldedChange(lines: readonly DiffLine[], columns: number, signs: ChangeSigns): boolean {
  return rowsOf(bare(lines), columns, signs).length > MOST_ROWS;
}

/**
 * Returns the rows of a change to show below its decision, without context lines. If there are too many,
 * returns rows of the first hunk and the number of omitted rows.
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

/** Returns the lines of a change with their context, for a view that wraps them itself. */
export function changeLines(lines: readonly DiffLine[], signs: ChangeSigns): readonly string[] {
  return rowsOf(lines, Infinity, signs).map(({ text }) => text.slice(INDENT.length));
}

/** Returns the changed lines, with one gap between separate groups. */
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
