import type { JsonObject, JsonValue } from '../../core/index.js';
import { columnsOf, escapeLines, escapeText, isJsonArray } from '../../core/index.js';
import type { Hidden } from './fold.js';
import { addHidden, foldKey, foldRows, foldText, NOTHING_HIDDEN } from './fold.js';
import type { FoldedPiece, FoldLimits } from './fold.js';

/** One row of a value, safe for a terminal. The gutter is drawn by hitl, and the text cannot imitate it. */
export interface ValueRow {
  /** Drawn before every screen row of the text, including wrapped rows. */
  readonly gutter: string;
  /** Escaped key or index, with its colon or period and padding. */
  readonly label?: string;
  readonly text: string;
  /** Note about the row, added by hitl. */
  readonly note?: string;
  /** Whether the text is hitl's count of hidden content. */
  readonly hidden?: true;
}

export interface ValueRows {
  readonly rows: readonly ValueRow[];
  readonly hidden: Hidden;
}

/** Mark at the left edge, where untrusted text cannot appear. */
export const GUTTER = '│ ';
/** Mark before each line of a multi-line value and each row of a form. These contain untrusted text. */
export const BLOCK = '┆ ';
const STEP = '  ';
/** Maximum nesting depth. Deeper values are shown as JSON on one line. */
const MAX_DEPTH = 8;

/** Maximum number of items in a list that is shown without its length. */
const COUNTED = 9;

const plainKeyPattern = () => /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const LOOKS_LIKE_JSON = /^(?:-?\d|true$|false$|null$|"|\{\}$|\[\]$)/;

/** Formats a key. Quotes it unless it is a plain word. */
export function shownKey(key: string): string {
  return plainKeyPattern().test(key) ? escapeText(key) : quoted(key);
}

/**
 * Formats a string on one line. Quotes it if it starts or ends with whitespace, is empty or could be mistaken
 * for another type.
 */
export function shownString(text: string): string {
  const bare = text !== '' && text === text.trim() && !LOOKS_LIKE_JSON.test(text);
  return bare ? escapeText(text) : quoted(text);
}

/** Formats a label. Quotes it only if it starts or ends with whitespace or is empty. */
export function shownLabel(text: string): string {
  return text !== '' && text === text.trim() ? escapeText(text) : quoted(text);
}

function quoted(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\u{22}')}"`;
}

/** Formats an integer with all its digits, and any other number in JavaScript notation. */
export function shownNumber(value: number): string {
  if (Object.is(value, -0)) return '-0';
  return Number.isInteger(value) ? BigInt(value).toString() : String(value);
}

/**
 * Returns rows for all keys and values of a JSON value. Only content beyond `limits` is folded and replaced
 * with a count.
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

/**
 * Returns the length of the untrusted text in a row's label: the key without its colon. An index counts as
 * zero.
 */
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

/** An entry of an object or array. */
interface Member {
  readonly label: string;
  /** Pieces of a key that is too long for a label. The last piece contains the end of the key. */
  readonly pieces?: readonly FoldedPiece[];
  readonly value: JsonValue;
}

/** Folds a long key like a value: its head, a count of hidden characters, and its tail. */
function keyLabel(key: string, limits: FoldLimits | undefined): Omit<Member, 'value'> {
  const pieces = limits === undefined ? [] : foldKey(key, limits);
  return pieces.length > 1 ? { label: '', pieces } : { label: `${shownKey(key)}:` };
}

/**
 * Returns the rows of a folded key. The key's text follows a mark, so that the count cannot be mistaken for
 * part of the key.
 */
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

/** Returns a note with the number of items if a list is long. */
function countOf(value: JsonValue): Pick<ValueRow, 'note'> {
  return isJsonArray(value) && value.length > COUNTED ? { note: `${value.length} items` } : {};
}

/** Aligns single-row values in one column. A value with several rows follows its label, indented. */
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
