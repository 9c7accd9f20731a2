import type { JsonObject, JsonValue } from '../core/index.js';
import { deepFreeze } from '../core/index.js';
import type { Patch, WrittenBy } from './check-state.js';
import { isSameJson } from './json-same.js';
import type { Reducers } from './reducers.js';
import { reduceWrite, reducerOf } from './reducers.js';

/**
 * Takes a patch back (C-23): in `set` each changed key that was there with its old value, in `unset` each that was
 * not. Plain data; it shares its values with the states.
 */
export type UndoRecord = Patch;

export interface PatchedState {
  /** The new state, frozen; unchanged values are the same objects as before. */
  readonly state: JsonObject;
  readonly undo: UndoRecord;
  /** The keys whose values differ now, in the order of the patch. */
  readonly changed: readonly string[];
}

/**
 * Applies a patch through the reducers. Where nothing changes, the state is the same object. The state that is given
 * is not written to; the values of the patch are frozen.
 * Besides one shallow copy of the state the work is that of the patch; `append` also copies the list (not its items).
 * @throws HitlError BAD_STATE where a reducer refuses, naming key and node; nothing is applied then.
 */
export function applyPatch(state: JsonObject, patch: Patch, reducers: Reducers, by: WrittenBy): PatchedState {
  const changes = new Map<string, JsonValue | undefined>();
  for (const key of patch.unset ?? []) {
    if (Object.hasOwn(state, key)) changes.set(key, undefined);
  }
  for (const [key, value] of Object.entries(deepFreeze(patch.set))) {
    const old = valueAt(state, key);
    const next = reduceWrite(reducerOf(reducers, key), old, { key, value, by });
    if (old === undefined || !isSameJson(old, next)) changes.set(key, next);
  }
  return withChanges(state, changes);
}

/** The state before the patch that the record was made for: records are undone newest first. */
export function applyUndo(state: JsonObject, undo: UndoRecord): JsonObject {
  return applyPatch(state, undo, {}, { node: '' }).state;
}

/** The value of a key of the state; `undefined` where it is absent. */
export function valueAt(state: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

function withChanges(state: JsonObject, changes: ReadonlyMap<string, JsonValue | undefined>): PatchedState {
  if (changes.size === 0) return { state, undo: makePatch([]), changed: [] };
  const before = [...changes.keys()].map((key) => [key, valueAt(state, key)] as const);
  const next: Record<string, JsonValue> = { ...state };
  for (const [key, value] of changes) {
    if (value === undefined) Reflect.deleteProperty(next, key);
    // Defined and not assigned, so that no key can reach the prototype.
    else Reflect.defineProperty(next, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return { state: Object.freeze(next), undo: makePatch(before), changed: [...changes.keys()] };
}

/** A patch that gives keys these values, and deletes those whose value is `undefined`. */
export function makePatch(values: readonly (readonly [string, JsonValue | undefined])[]): Patch {
  const set: [string, JsonValue][] = [];
  const unset: string[] = [];
  for (const [key, value] of values) {
    if (value === undefined) unset.push(key);
    else set.push([key, value]);
  }
  const members = Object.freeze(Object.fromEntries(set));
  return Object.freeze(unset.length === 0 ? { set: members } : { set: members, unset: Object.freeze(unset) });
}
