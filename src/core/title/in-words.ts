import type { JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject, jsonEquals, ownOf } from '../json/index.js';
import { plainLine } from '../text/index.js';

/** The part of one value that is told, in columns. */
const VALUE_COLUMNS = 40;

/** A value as a person would say it, on one line of safe text: `Version 1.5, Draft yes` and not JSON. */
export function inWords(value: JsonValue, columns: number): string {
  return plainLine(said(value), columns);
}

function said(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (value === null || typeof value === 'number') return String(value);
  if (isJsonArray(value)) return value.map(said).join(', ');
  return Object.entries(value)
    .map(([key, member]) => `${key} ${said(member)}`)
    .join(', ');
}

/** Says what an edit changed, on one line of safe text: `amount 200 → 150`. */
export function changesInWords(before: JsonValue, after: JsonValue, columns: number): string {
  return plainLine(changed(before, after).join(', '), columns);
}

function changed(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): readonly string[] {
  if (before !== undefined && after !== undefined && jsonEquals(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => changed(ownOf(before, key), ownOf(after, key), `${path}${key} `));
  }
  const from = before === undefined ? 'nothing' : plainLine(said(before), VALUE_COLUMNS);
  const to = after === undefined ? 'nothing' : plainLine(said(after), VALUE_COLUMNS);
  return [`${path}${from} → ${to}`];
}

function isObject(value: JsonValue | undefined): value is Readonly<Record<string, JsonValue>> {
  return value !== undefined && isJsonObject(value);
}
