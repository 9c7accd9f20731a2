import type { JsonObject, JsonValue } from '../json/index.js';
import { isJsonArray, isJsonObject } from '../json/index.js';

/** The rule by which a new value of a key meets the old one; `overwrite` is not named (C-21). */
export type BuiltinReducer = 'append' | 'sum' | 'merge';

/**
 * The value of a key after another write: `old` itself where nothing changes, `undefined` where the two do not go
 * together or their sum is too large.
 */
export function reduceValue(
  reducer: BuiltinReducer | undefined,
  old: JsonValue | undefined,
  value: JsonValue,
): JsonValue | undefined {
  switch (reducer) {
    case undefined:
      return value;
    case 'append':
      return appended(old, value);
    case 'sum':
      return summed(old, value);
    case 'merge':
      return merged(old, value);
  }
}

function appended(old: JsonValue = [], value: JsonValue): JsonValue | undefined {
  if (!isJsonArray(old)) return undefined;
  const items = isJsonArray(value) ? value : [value];
  return items.length === 0 ? old : [...old, ...items];
}

function summed(old: JsonValue | undefined, value: JsonValue): JsonValue | undefined {
  if (typeof value === 'string' && (old === undefined || typeof old === 'string')) return (old ?? '') + value;
  if (typeof value !== 'number' || (old !== undefined && typeof old !== 'number')) return undefined;
  const sum = (old ?? 0) + value;
  return Number.isFinite(sum) ? sum : undefined;
}

function merged(old: JsonValue | undefined, value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value) || (old !== undefined && !isJsonObject(old))) return undefined;
  return old !== undefined && holds(old, value) ? old : { ...old, ...value };
}

function holds(object: JsonObject, members: JsonObject): boolean {
  return Object.entries(members).every(
    ([key, member]) => Object.hasOwn(object, key) && object[key] === member,
  );
}
