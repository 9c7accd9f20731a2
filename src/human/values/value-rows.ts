import type { JsonObject, JsonValue } from '../../core/index.js';
import { columnsOf, escapeLines, escapeText, isJsonArray } from '../../core/index.js';
import type { Hidden } from './fold.js';
import { addHidden, foldKey, foldRows, foldText, NOTHING_HIDDEN } from './fold.js';
import type { FoldedPiece, FoldLimits } from './fold.js';

/** One row of a value, safe for a terminal. What stands before it is the product's and out of the text's reach. */
export interface ValueRow {
  /** Drawn before every screen row of the text, also where it is wrapped. */
  readonly gutter: string;
  /** The key or index, escaped, with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** The product's word beside it. */
  readonly note?: string;
  /** True where the text is the product's word about what is not shown. */
  readonly hidden?: true;
}

export interface ValueRows {
  readonly rows: readonly ValueRow[];
  readonly hidden: Hidden;
}

/** The sign in column 0, which no text from outside can draw there. */
export const GUTTER = '│ ';
/** Before each line of a value that has several, and before each row of a form: its words are of whoever asks. */
export const BLOCK = '┆ ';
const STEP = '  ';
/** Deeper values are shown as JSON on one line. */
const MAX_DEPTH = 8;

/** A longer list says how many items it has. */
const COUNTED = 9;

const plainKeyPattern = () => /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const LOOKS_LIKE_JSON = /^(?:-?\d|true$|false$|null$|"|\{\}$|\[\]$)/;

/** A key as it is shown: bare where it is a plain word, else quoted. */
export function shownKey(key: string): string {
  return plainKeyPattern().test(key) ? escapeText(key) : quoted(key);
}

/** Text on one line, in quotes where its borders matter or where it could be taken for another type. */
export function shownString(text: string): string {
  const bare = text !== '' && text === text.trim() && !LOOKS_LIKE_JSON.test(text);
  return bare ? escapeText(text) : quoted(text);
}

/** A label, in quotes only where its borders matter: it is text, and stands where nothing else does. */
export function shownLabel(text: string): string {
  return text !== '' && text === text.trim() ? escapeText(text) : quoted(text);
}

function quoted(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\u{22}')}"`;
}

/** A whole number with all its digits, any other as it is written. */
export function shownNumber(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/**
 * Rows for a JSON value: every key and every value, nothing summarised but what `limits` folds, and that with its count.
 * Without limits everything is there.
 */
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

/** Makes the words of the product where something is not on screen. */
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

/** One member of an object or an array. */
interface Member {
  readonly label: string;
  /** The pieces of a key that is too long to be a label; the last one ends it. */
  readonly pieces?: readonly FoldedPiece[];
  readonly value: JsonValue;
}

/** A key is folded as a value is: at its head and its tail, with what lies between counted. */
function keyLabel(key: string, limits: FoldLimits | undefined): Omit<Member, 'value'> {
  const pieces = limits === undefined ? [] : foldKey(key, limits);
  return pieces.length > 1 ? { label: '', pieces } : { label: `${shownKey(key)}:` };
}

/** The rows of a key that is folded: behind the mark of a block, so that the count between them is ours alone. */
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

/** Notes how many there are, where they are too many to be counted. */
function countOf(value: JsonValue): Pick<ValueRow, 'note'> {
  return isJsonArray(value) && value.length > COUNTED ? { note: `${value.length} items` } : {};
}

/** Labels of short values stand in one column; a value of several rows follows its label, one step in. */
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
