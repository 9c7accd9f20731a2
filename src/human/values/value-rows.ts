import type { JsonObject, JsonValue } from '../../core/index.js';
import { columnsOf, escapeLines, escapeText, isJsonArray } from '../../core/index.js';
import type { Hidden } from './fold.js';
import { addHidden, foldRows, foldText, NOTHING_HIDDEN } from './fold.js';
import type { FoldLimits } from './fold.js';

/** One row of a value, safe for a terminal. What stands before it is the product's and out of the text's reach. */
export interface ValueRow {
  /** Drawn before every screen row of the text, also where it is wrapped. */
  readonly gutter: string;
  /** The key or index, escaped, with its colon and padding. */
  readonly label?: string;
  readonly text: string;
  /** True where the text is the product's word about what is not shown. */
  readonly hidden?: true;
}

export interface ValueRows {
  readonly rows: readonly ValueRow[];
  readonly hidden: Hidden;
}

/** What no text from outside can draw in column 0. */
export const GUTTER = '│ ';
/** Before each line of a value that has several. */
const BLOCK = '┆ ';
const STEP = '  ';
/** Deeper values are shown as JSON on one line. */
const MAX_DEPTH = 8;

const PLAIN_KEY = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;
const LOOKS_LIKE_JSON = /^(?:-?\d|true$|false$|null$|"|\{\}$|\[\]$)/;

/** A key as it is shown: bare where it is a plain word, else quoted. */
export function shownKey(key: string): string {
  return PLAIN_KEY.test(key) ? escapeText(key) : quoted(key);
}

/** Text on one line, in quotes where its borders matter or where it could be taken for another type. */
export function shownString(text: string): string {
  const bare = text !== '' && text === text.trim() && !LOOKS_LIKE_JSON.test(text);
  return bare ? escapeText(text) : quoted(text);
}

function quoted(text: string): string {
  return `"${escapeText(text).replaceAll('"', '\\u{22}')}"`;
}

/**
 * Rows for a JSON value: every key and every value, nothing summarised but what `limits` folds, and that with its count.
 * Without limits everything is there.
 */
export function valueRows(value: JsonValue, limits: FoldLimits | undefined): ValueRows {
  const all = rowsOf(value, GUTTER, 0, limits);
  if (limits === undefined || all.rows.length <= limits.maxRows) return all;
  const { head, tail, left } = foldRows(all.rows, limits.maxRows);
  const characters = left.reduce((sum, row) => sum + row.text.length, 0);
  const hidden = { lines: left.length, characters };
  return {
    rows: [...head, { gutter: GUTTER, text: hiddenText(hidden), hidden: true }, ...tail],
    hidden: addHidden(all.hidden, hidden),
  };
}

/** What the product writes where something is not on screen. */
export function hiddenText({ lines, characters }: Hidden): string {
  const counted = `${characters.toLocaleString('en-US')} characters`;
  return lines === 0
    ? `⋯ ${counted} hidden ⋯`
    : `⋯ ${lines.toLocaleString('en-US')} ${lines === 1 ? 'line' : 'lines'}, ${counted} hidden ⋯`;
}

function rowsOf(value: JsonValue, gutter: string, depth: number, limits: FoldLimits | undefined): ValueRows {
  if (typeof value === 'string') return stringRows(value, gutter, limits);
  if (typeof value !== 'object' || value === null)
    return oneRow(gutter, Object.is(value, -0) ? '-0' : String(value));
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
    items.map((item, index) => [`${index + 1}.`, item]),
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
  const members = Object.entries(value).map(([key, member]): [string, JsonValue] => [
    `${shownKey(key)}:`,
    member,
  ]);
  if (members.length === 0) return oneRow(gutter, '{}');
  return memberRows(members, gutter, depth, limits);
}

/** Labels of short values stand in one column; a value of several rows follows its label, one step in. */
function memberRows(
  members: readonly (readonly [label: string, value: JsonValue])[],
  gutter: string,
  depth: number,
  limits: FoldLimits | undefined,
): ValueRows {
  const rows: ValueRow[] = [];
  let hidden = NOTHING_HIDDEN;
  const column = Math.min(24, Math.max(...members.slice(0, 200).map(([label]) => columnsOf(label)))) + 1;
  for (const [label, value] of members) {
    const nested = rowsOf(value, `${gutter}${STEP}`, depth + 1, limits);
    hidden = addHidden(hidden, nested.hidden);
    const [first] = nested.rows;
    const inline = nested.rows.length === 1 && first !== undefined && first.label === undefined;
    if (inline && first.hidden !== true && first.gutter === `${gutter}${STEP}`) {
      rows.push({
        gutter,
        label: label.padEnd(label.length + Math.max(1, column - columnsOf(label))),
        text: first.text,
      });
    } else {
      rows.push({ gutter, label, text: '' });
      for (const row of nested.rows) rows.push(row); // not spread: an input may have more rows than a call has arguments
    }
  }
  return { rows, hidden };
}
