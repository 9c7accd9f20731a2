import type { JsonObject, JsonValue } from '../json.js';
import type { StateChanges } from './frame.js';

/** State after changes, and what takes them back: for every key its value before, or that it was absent (C-23). */
export function applyChanges(
  state: JsonObject,
  { set, unset = [] }: StateChanges,
): { readonly state: JsonObject; readonly undo: StateChanges } {
  const before: [string, JsonValue][] = [];
  const absent: string[] = [];
  const keys = [...Object.keys(set), ...unset];
  for (const key of keys) {
    const old = Object.hasOwn(state, key) ? state[key] : undefined;
    if (old === undefined) absent.push(key);
    else before.push([key, old]);
  }
  if (keys.length === 0) return { state, undo: { set: {} } };
  const undo = { set: Object.fromEntries(before), ...(absent.length > 0 && { unset: absent }) };
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
