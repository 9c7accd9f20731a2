import type { JsonObject, JsonValue } from '../json/index.js';

/** Keys that were set and keys that were removed. */
export interface StateChanges {
  readonly set: JsonObject;
  readonly unset?: readonly string[];
}

/** Changes that give keys these values, and remove those whose value is `undefined`. */
export function changesOf(values: readonly (readonly [string, JsonValue | undefined])[]): StateChanges {
  const set: [string, JsonValue][] = [];
  const unset: string[] = [];
  for (const [key, value] of values) {
    if (value === undefined) unset.push(key);
    else set.push([key, value]);
  }
  return { set: Object.fromEntries(set), ...(unset.length > 0 && { unset }) };
}

/** Changes that do what two do, one after the other. */
export function joinChanges(first: StateChanges, second: StateChanges): StateChanges {
  const unset = new Set([...(first.unset ?? []), ...(second.unset ?? [])]);
  for (const key of Object.keys(second.set)) unset.delete(key);
  const set = without({ ...first.set, ...second.set }, second.unset ?? []);
  return { set, ...(unset.size > 0 && { unset: [...unset] }) };
}

function without(state: JsonObject, keys: readonly string[]): JsonObject {
  if (keys.length === 0) return state;
  const gone = new Set(keys);
  return Object.fromEntries(Object.entries(state).filter(([key]) => !gone.has(key)));
}
