import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, isJsonArray, isJsonObject, jsonEquals, shownJson } from '../../core/index.js';
import type { QuestionLine } from '../values/text-line.js';
import { GUTTER, shownKey, shownString } from '../values/value-rows.js';

/**
 * One difference between two JSON values. `path` is escaped, for example `address.city` or `items[2]`; it is
 * empty for the whole value.
 */
export interface Difference {
  readonly path: string;
  /** Absent if the path does not exist in the old value. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/**
 * Returns all differences between two JSON values, key by key and item by item, in the order of the first
 * value.
 */
export function differences(before: JsonValue, after: JsonValue, path = ''): readonly Difference[] {
  if (jsonEquals(before, after)) return [];
  if (isJsonObject(before) && isJsonObject(after)) return memberDifferences(before, after, path);
  if (typeof before === 'object' && before !== null && isJsonArray(before)) {
    if (typeof after === 'object' && after !== null && isJsonArray(after))
      return itemDifferences(before, after, path);
  }
  return [{ path, before, after }];
}

function memberDifferences(before: JsonObject, after: JsonObject, path: string): readonly Difference[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => {
    const place = path === '' ? shownKey(key) : `${path}.${shownKey(key)}`;
    return placeDifferences(own(before, key), own(after, key), place);
  });
}

function own(value: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function itemDifferences(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
  path: string,
): readonly Difference[] {
  const found: Difference[] = [];
  for (let index = 0; index < Math.max(before.length, after.length); index += 1) {
    found.push(...placeDifferences(before[index], after[index], `${path}[${index + 1}]`));
  }
  return found;
}

function placeDifferences(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  place: string,
): readonly Difference[] {
  if (before !== undefined && after !== undefined) return differences(before, after, place);
  return [{ path: place, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

/**
 * Maximum number of characters shown in full. For longer strings, only the differences are shown, with the
 * number of equal characters.
 */
const LONG = 200;
const CONTEXT = 40;

function shownValue(value: JsonValue): string {
  return typeof value === 'string' ? shownString(value) : shownJson(value);
}

function commonStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length += 1;
  return length;
}

/**
 * Shortens two long strings by replacing their common parts with counts; `undefined` if they are already
 * short.
 */
function shortened(before: JsonValue, after: JsonValue): { before: string; after: string } | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  if (before.length <= LONG && after.length <= LONG) return undefined;
  const start = Math.max(0, commonStart(before, after) - CONTEXT);
  const reverse = (text: string) => Array.from(text.slice(start)).reverse().join('');
  const end = Math.max(0, commonStart(reverse(before), reverse(after)) - CONTEXT);
  const cut = (text: string) => {
    const head = start > 0 ? `⋯ ${start} unchanged characters ⋯ ` : '';
    const tail = end > 0 ? ` ⋯ ${end} unchanged characters ⋯` : '';
    return `${head}“${escapeText(text.slice(start, text.length - end))}”${tail}`;
  };
  return { before: cut(before), after: cut(after) };
}

/** Formats differences as question lines, the old value before the new one. */
export function differenceLines(found: readonly Difference[]): readonly QuestionLine[] {
  return found.flatMap(({ path, before, after }) => {
    const short = before !== undefined && after !== undefined ? shortened(before, after) : undefined;
    const label = path === '' ? '' : `${path}: `;
    const line = (sign: '-' | '+', value: JsonValue, text: string | undefined): QuestionLine => ({
      part: 'diff',
      tone: sign === '-' ? 'removed' : 'added',
      gutter: GUTTER,
      text: `${sign} ${label}${text ?? shownValue(value)}`,
    });
    return [
      ...(before === undefined ? [] : [line('-', before, short?.before)]),
      ...(after === undefined ? [] : [line('+', after, short?.after)]),
    ];
  });
}
