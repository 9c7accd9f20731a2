import type { JsonObject, JsonValue } from '../json/index.js';
import { deepFreeze, digestOf } from '../json/index.js';
import { PersistentMap } from './persistent-map.js';
import type { StateChanges } from './state-changes.js';
import { changesOf } from './state-changes.js';

// Invariants:
// V1 Every value is frozen to its last leaf, and shared by all states that have it.
// V2 A change costs what it writes, however many keys there are; one that removes keys costs as much as there are.
// V3 The state as one object is made when somebody looks at it, and once.

/** The values that the nodes of a graph have written, by key. */
export class GraphState {
  readonly #values: PersistentMap<JsonValue>;
  #plain: JsonObject | undefined;

  private constructor(values: PersistentMap<JsonValue>) {
    this.#values = values;
  }

  static of(members: JsonObject): GraphState {
    return new GraphState(PersistentMap.of(Object.entries(deepFreeze(members))));
  }

  /** As one object: plain, and frozen. */
  get plain(): JsonObject {
    this.#plain ??= Object.freeze(Object.fromEntries(this.#values.entries()));
    return this.#plain;
  }

  /** The value of a key; `undefined` where it is absent. */
  get(key: string): JsonValue | undefined {
    return this.#values.get(key);
  }

  /**
   * The state after changes, and what takes them back: for every key its value before, or that it was absent (C-23).
   * Where there are no changes, it is the same state.
   */
  apply({ set, unset = [] }: StateChanges): { readonly state: GraphState; readonly undo: StateChanges } {
    const keys = [...Object.keys(set), ...unset];
    if (keys.length === 0) return { state: this, undo: { set: {} } };
    const undo = changesOf(keys.map((key) => [key, this.get(key)]));
    let values = this.#values;
    for (const [key, value] of Object.entries(set)) values = values.set(key, deepFreeze(value));
    return { state: new GraphState(values.without(unset)), undo };
  }

  /** The state with changes taken back, the newest first. */
  undo(undos: readonly StateChanges[]): GraphState {
    const last = new Map<string, JsonValue | undefined>();
    for (const { set, unset = [] } of undos) {
      for (const [key, value] of Object.entries(set)) last.set(key, value);
      for (const key of unset) last.set(key, undefined);
    }
    return this.apply(changesOf([...last])).state;
  }
}

/** Names what a gate shows of a state. */
export function stateDigest({ plain }: GraphState): string {
  return digestOf(plain).slice(0, 16);
}

/** The value of a key of a state; `undefined` where it is absent. */
export function valueAt(state: GraphState | JsonObject, key: string): JsonValue | undefined {
  if (state instanceof GraphState) return state.get(key);
  return Object.hasOwn(state, key) ? state[key] : undefined;
}
