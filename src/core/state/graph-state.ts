import type { JsonObject, JsonValue } from '../data/json.js';
import { deepFreeze, isJsonArray, isJsonObject } from '../data/json.js';
import { digestOf } from '../data/digest.js';
import { PersistentMap } from './persistent-map.js';

// Invariants:
// V1 Every value is frozen to its last leaf, and shared by all states that have it.
// V2 A change costs what it writes, however many keys there are; one that removes keys costs as much as there are.
// V3 The state as one object is made when somebody looks at it, and once.

/** Keys that are set or removed. */
export interface StateChanges {
  readonly set: JsonObject;
  readonly unset?: readonly string[];
}

/** Creates changes that set keys; a value of `undefined` removes its key. */
export function changesOf(values: readonly (readonly [string, JsonValue | undefined])[]): StateChanges {
  const set: [string, JsonValue][] = [];
  const unset: string[] = [];
  for (const [key, value] of values) {
    if (value === undefined) unset.push(key);
    else set.push([key, value]);
  }
  return { set: Object.fromEntries(set), ...(unset.length > 0 && { unset }) };
}

/** Combines two changes, the second of which is applied after the first. */
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

/** The values written by a graph's nodes, by key. */
export class GraphState {
  readonly #values: PersistentMap<JsonValue>;
  #plain: JsonObject | undefined;

  private constructor(values: PersistentMap<JsonValue>) {
    this.#values = values;
  }

  static of(members: JsonObject): GraphState {
    return new GraphState(PersistentMap.of(Object.entries(deepFreeze(members))));
  }

  /** Returns the state as a frozen plain object. */
  get plain(): JsonObject {
    this.#plain ??= Object.freeze(Object.fromEntries(this.#values.entries()));
    return this.#plain;
  }

  /** Returns a key's value; `undefined` if absent. */
  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }

  /**
   * Returns the state after changes, and the changes that undo them: the previous value of each key, or its
   * absence (C-23). Returns the same state if there is nothing to change.
   */
  apply({ set, unset = [] }: StateChanges): { readonly state: GraphState; readonly undo: StateChanges } {
    const keys = [...Object.keys(set), ...unset];
    if (keys.length === 0) return { state: this, undo: { set: {} } };
    const undo = changesOf(keys.map((key) => [key, this.get(key)]));
    let values = this.#values;
    for (const [key, value] of Object.entries(set)) values = values.set(key, deepFreeze(value));
    return { state: new GraphState(values.without(unset)), undo };
  }

  /** Returns the state after undoing changes, newest first. */
  undo(undos: readonly StateChanges[]): GraphState {
    const last = new Map<string, JsonValue | undefined>();
    for (const { set, unset = [] } of undos) {
      for (const [key, value] of Object.entries(set)) last.set(key, value);
      for (const key of unset) last.set(key, undefined);
    }
    return this.apply(changesOf([...last])).state;
  }
}

/** Returns the digest of the state that a gate shows. */
export function stateDigest({ plain }: GraphState): string {
  return digestOf(plain).slice(0, 16);
}

/** Returns a key's value; `undefined` if it is absent. */
export function valueAt(state: GraphState | JsonObject, key: string): JsonValue | undefined {
  if (state instanceof GraphState) return state.get(key);
  return Object.hasOwn(state, key) ? state[key] : undefined;
}

/** How the new value of a key is combined with the old one. The default, `overwrite`, has no name (C-21). */
export type BuiltinReducer = 'append' | 'sum' | 'merge';

/**
 * Returns a key's value after a write: `old` itself if nothing changed; `undefined` if the values cannot be
 * combined or the result is too large.
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
