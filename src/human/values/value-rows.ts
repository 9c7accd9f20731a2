import type { JsonObject, JsonValue } from '../../core/index.js';
import { columnsOf, escapeLines, escapeText, isJsonArray } from '../../core/index.js';
import type { Hidden } from './fold.js';
import { addHidden, foldKey, foldRows, foldText, NOTHING_HIDDEN } from './fold.js';
import type { FoldedPiece, FoldLimits } from './fold.js';

/** One row of a value, safe for a terminal. The prefix is ours and cannot be drawn by the text. */
export interface ValueRow {
  /** Drawn before every screen row of the text, including wrapped ones. */
  readonly gutter: string;
  /** The key or index, escaped, with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** Our note about it. */
  readonly note?: string;
  /** The text is our count of hidden content. */
  readonly hidden?: true;
}

export interface ValueRows {
  readonly rows: readonly ValueRow[];
  readonly hidden: Hidden;
}

/** Mark in column 0, which foreign text cannot draw. */
export const GUTTER = '│ ';
/** Mark before each line of a multi-line value and before each row of a form: foreign words. */
export const BLOCK = '┆ ';
const STEP = '  ';
/** Deeper values are shown as JSON on one line. */
const MAX_DEPTH = 8;

/** A longer list shows its number of items. */
const COUNTED = 9;

const plainKeyPattern = () => /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const LOOKS_LIKE_JSON = /^(?:-?\d|true$|false$|null$|"|\{\}$|\[\]$)/;

/** Formats a key: bare if it is a plain word, else quoted. */
export function shownKey(key: string): string {
  return plainKeyPattern().test(key) ? escapeText(key) : quoted(key);
}

/** Formats text on one line, quoted if its ends matter or it resembles another type. */
export function shownString(text: string): string {
  const bare = text !== '' && text === text.trim() && !LOOKS_LIKE_JSON.test(text);
  return bare ? escapeText(text) : quoted(text);
}

/** Formats a label, quoted only if its ends matter. */
export function shownLabel(text: string): string {
  return text !== '' && text === text.trim() ? escapeText(text) : quoted(text);
}

function quoted(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\u{22}')}"`;
}

/** Formats integers with all digits, other numbers as written. */
export function shownNumber(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/** Returns rows for every key and value of a JSON value; folds only by `limits`, with counts. */
export function valueRows(value: JsonValue, limits: FoldLimits | undefined): ValueRows {
  const all = rowsOf(value, GUTTER, 0, limits);
  if (limits === undefined || all.rows.length <= limits.maxRows) return all;
  const { head, tail, left } = foldRows(all.rows, limits.maxRows);
  const characters = left.reduce((sum, row) => sum + keyLength(row) + row.text.length, 0);
  const hidden = { lines: left.length, characters };
  return {
    rows: [...head, { gutter: GUTTER, text: hiddenText(hidden), hidden: true }, ...tail],
    hidden: addHidden(all.hidden, hidden),
  };
}

/** Measures how much of a row's label is text from outside: a key, without the colon; an index is ours. */
function keyLength({ label = '' }: ValueRow): number {
  const shown = label.trimEnd();
  return shown.endsWith(':') ? shown.length - 1 : 0;
}

/** Formats the count of hidden text. */
export function hiddenText({ lines, characters }: Hidden): string {
  const counted = `${characters.toLocaleString('en-US')} characters`;
  return lines === 0
    ? `⋯ ${counted} hidden ⋯`
    : `⋯ ${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}, ${counted} hidden ⋯`;
}

function rowsOf(value: JsonValue, gutter: string, depth: number, limits: FoldLimits | undefined): ValueRows {
  if (typeof value === 'string') return stringRows(value, gutter, limits);
  if (typeof value !== 'object' || value === null)
    return oneRow(gutter, typeof value === 'number' ? shownNumber(value) : String(value));
  if (depth >= MAX_DEPTH) return stringRows(JSON.stringify(value), gutter, limits);
  if (isJsonArray(value)) return arrayRows(value, gutter, depth, limits);
  return objectRows(value, gutter, depth, limits);
}

function oneRow(gutter: string, text: string): ValueRows {
  return { rows: [{ gutter, text }], hidden: NOTHING_HIDDEN };
}

function stringRows(text: string, gutter: string, limits: FoldLimits | undefined): ValueRows {
  const folded = foldText(text, limits);
  const single = folded.length === 1 ? folded[0] : undefined;
  if (single?.type === 'text' && !single.text.includes('\n')) return oneRow(gutter, shownString(single.text));
  const rows: ValueRow[] = [];
  let hidden = NOTHING_HIDDEN;
  for (const piece of folded) {
    if (piece.type === 'hidden') {
      rows.push({ gutter, text: hiddenText(piece), hidden: true });
      hidden = addHidden(hidden, piece);
    } else {
      for (const line of escapeLines(piece.text)) rows.push({ gutter: `${gutter}${BLOCK}`, text: line });
    }
  }
  return { rows, hidden };
}

function arrayRows(
  items: readonly JsonValue[],
  gutter: string,
  depth: number,
  limits: FoldLimits | undefined,
): ValueRows {
  if (items.length === 0) return oneRow(gutter, '[]');
  return memberRows(
    items.map((value, index) => ({ label: `${index + 1}.`, value })),
    gutter,
    depth,
    limits,
  );
}

function objectRows(
  value: JsonObject,
  gutter: string,
  depth: number,
  limits: FoldLimits | undefined,
): ValueRows {
  const members = Object.entries(value).map(([key, member]) => ({ ...keyLabel(key, limits), value: member }));
  if (members.length === 0) return oneRow(gutter, '{}');
  return memberRows(members, gutter, depth, limits);
}

/** One member of an object or array. */
interface Member {
  readonly label: string;
  /** Pieces of a key that is too long for a label; the last one ends it. */
  readonly pieces?: readonly FoldedPiece[];
  readonly value: JsonValue;
}

/** Folds a key like a value: head, count and tail. */
function keyLabel(key: string, limits: FoldLimits | undefined): Omit<Member, 'value'> {
  const pieces = limits === undefined ? [] : foldKey(key, limits);
  return pieces.length > 1 ? { label: '', pieces } : { label: `${shownKey(key)}:` };
}

/** Returns the rows of a folded key, after the mark of a block, so that the count is clearly ours. */
function keyRows(pieces: readonly FoldedPiece[], gutter: string): ValueRows {
  const rows = pieces.map((piece, index): ValueRow => {
    if (piece.type === 'hidden') return { gutter, text: hiddenText(piece), hidden: true };
    const quote = (at: number): string => (index === at ? '"' : '');
    const shown = escapeText(piece.text).replaceAll('"', '\\u{22}');
    const end = index === pieces.length - 1 ? ':' : '';
    return { gutter: `${gutter}${BLOCK}`, text: `${quote(0)}${shown}${quote(pieces.length - 1)}${end}` };
  });
  const hidden = pieces.flatMap((piece) => (piece.type === 'hidden' ? [piece] : []));
  return { rows, hidden: hidden.reduce((sum: Hidden, piece) => addHidden(sum, piece), NOTHING_HIDDEN) };
}

/** Shows the number of items if there are many. */
function countOf(value: JsonValue): Pick<ValueRow, 'note'> {
  return isJsonArray(value) && value.length > COUNTED ? { note: `${value.length} items` } : {};
}

/** Aligns labels of short values in one column; a multi-row value follows its label, indented. */
function memberRows(
  members: readonly Member[],
  gutter: string,
  depth: number,
  limits: FoldLimits | undefined,
): ValueRows {
  const rows: ValueRow[] = [];
  let hidden = NOTHING_HIDDEN;
  const column = Math.min(24, Math.max(...members.slice(0, 200).map(({ label }) => columnsOf(label)))) + 1;
  for (const { label, pieces, value } of members) {
    const nested = rowsOf(value, `${gutter}${STEP}`, depth + 1, limits);
    hidden = addHidden(hidden, nested.hidden);
    if (pieces !== undefined) {
      const key = keyRows(pieces, gutter);
      hidden = addHidden(hidden, key.hidden);
      rows.push(...key.rows);
      for (const row of nested.rows) rows.push(row);
      continue;
    }
    const [first] = nested.rows;
    const inline = nested.rows.length === 1 && first !== undefined && first.label === undefined;
    if (inline && first.hidden !== true && first.gutter === `${gutter}${STEP}`) {
      rows.push({
        gutter,
        label: label.padEnd(label.length + Math.max(1, column - columnsOf(label))),
        text: first.text,
      });
    } else {
      rows.push({ gutter, label, text: '', ...countOf(value) });
      for (const row of nested.rows) rows.push(row); // not spread: an input may have more rows than a call has arguments
    }
  }
  return { rows, hidden };
}
