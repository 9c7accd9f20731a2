import type { JsonValue } from '../json.js';
import { isJsonArray, isJsonObject } from '../json.js';

/** How a new value of a key meets the old one; `overwrite` is not named (C-21). */
export type BuiltinReducer = 'append' | 'sum' | 'merge';

/** The value of a key after another write; `undefined` where the two do not go together. */
export function reduceValue(
  reducer: BuiltinReducer | undefined,
  old: JsonValue | undefined,
  value: JsonValue,
): JsonValue | undefined {
  switch (reducer) {
    case undefined:
      return value;
    case 'append': {
      if (old !== undefined && !isJsonArray(old)) return undefined;
      return [...(old ?? []), ...(isJsonArray(value) ? value : [value])];
    }
    case 'sum':
      if (typeof value === 'string') {
        return old === undefined || typeof old === 'string' ? (old ?? '') + value : undefined;
      }
      if (typeof value !== 'number' || (old !== undefined && typeof old !== 'number')) return undefined;
      return (old ?? 0) + value;
    case 'merge':
      if (!isJsonObject(value) || (old !== undefined && !isJsonObject(old))) return undefined;
      return { ...old, ...value };
  }
}
