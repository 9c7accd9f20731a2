import type { JsonObject, JsonValue } from '../json.js';
import type { StateChanges } from './frame.js';

/** The value of a key of the state; `undefined` where it is absent. */
export function valueAt(state: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(state, key) ? state[key] : undefined;
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

/**
 * State after changes, and what takes them back: for every key its value before, or that it was absent (C-23).
 * Values that do not change are shared; where there are no changes, the state is the same object.
 */
export function applyChanges(
  state: JsonObject,
  { set, unset = [] }: StateChanges,
): { readonly state: JsonObject; readonly undo: StateChanges } {
  const keys = [...Object.keys(set), ...unset];
  if (keys.length === 0) return { state, undo: { set: {} } };
  const undo = changesOf(keys.map((key) => [key, valueAt(state, key)]));
  return { state: without({ ...state, ...set }, unset), undo };
}

function without(state: JsonObject, keys: readonly string[]): JsonObject {
  if (keys.length === 0) return state;
  const gone = new Set(keys);
  return Object.fromEntries(Object.entries(state).filter(([key]) => !gone.has(key)));
}

/** State with changes taken back, the newest first. */
export function undoChanges(state: JsonObject, undos: readonly StateChanges[]): JsonObject {
  let undone = state;
  for (const undo of undos) undone = applyChanges(undone, undo).state;
  return undone;
}

/** Changes that do what two do, one after the other. */
export function joinChanges(first: StateChanges, second: StateChanges): StateChanges {
  const unset = new Set([...(first.unset ?? []), ...(second.unset ?? [])]);
  for (const key of Object.keys(second.set)) unset.delete(key);
  const set = without({ ...first.set, ...second.set }, second.unset ?? []);
  return { set, ...(unset.size > 0 && { unset: [...unset] }) };
}
