import type { BuiltinReducer, GraphState, JsonObject, JsonValue, StateChanges } from '../../core/index.js';
import {
  changesOf,
  deepFreeze,
  HitlError,
  isHitlError,
  jsonEquals,
  messageOf,
  reduceValue,
  valueAt,
} from '../../core/index.js';
import type { WrittenBy } from './check-state.js';
import { checkJson, writtenBy } from './check-state.js';
import { kindOf } from '../expression/json-kind.js';

/**
 * A custom reducer; must be a pure function. `old` is `undefined` if the key is absent. Both values are
 * frozen, and the result is copied.
 */
export type CustomReducer = (old: JsonValue | undefined, value: JsonValue, by: WrittenBy) => JsonValue;

/**
 * How a write is combined with a key's current value (C-21):
 * - `overwrite`, the default: replaces the value.
 * - `append`: appends to a list; a written list is appended item by item, any other value as one item. If the
 *   key is absent, starts with `[]`. To append a list as a single item, wrap it in another list.
 * - `sum`: adds numbers or concatenates strings. If the key is absent, starts with 0 or `''`.
 * - `merge`: merges the properties of a written object, one level deep. If the key is absent, starts with
 *   `{}`.
 */
export type Reducer = 'overwrite' | BuiltinReducer | CustomReducer;

/** Reducers by key; all other keys are overwritten. */
export type Reducers = Readonly<Record<string, Reducer>>;

/** The names of the built-in reducers. */
export const BUILTIN_REDUCERS: readonly string[] = ['overwrite', 'append', 'sum', 'merge'];

/** Whether a value is a reducer: a built-in name or a function. */
export function isReducer(value: unknown): value is Reducer {
  return typeof value === 'function' || (typeof value === 'string' && BUILTIN_REDUCERS.includes(value));
}

/** Returns a key's reducer. */
export function reducerOf(reducers: Reducers, key: string): Reducer {
  return (Object.hasOwn(reducers, key) ? reducers[key] : undefined) ?? 'overwrite';
}

/** A write of one value to one key. */
export interface Write {
  readonly key: string;
  readonly value: JsonValue;
  readonly by: WrittenBy;
}

/**
 * Returns the value of a key after a write, frozen, or `old` itself if nothing changed.
 * @throws HitlError BAD_STATE with the key and node, if the types do not match, or if a custom reducer fails
 * or returns a value that JSON cannot represent.
 */
export function reduceWrite(reducer: Reducer, old: JsonValue | undefined, write: Write): JsonValue {
  switch (reducer) {
    case 'overwrite':
      return write.value;
    case 'append':
    case 'sum':
    case 'merge': {
      const reduced = reduceValue(reducer, old, write.value);
      if (reduced === undefined) throw misfit(reducer, old, write);
      return deepFreeze(reduced);
    }
    default:
      return reducedBy(reducer, old, write);
  }
}

function reducedBy(reduce: CustomReducer, old: JsonValue | undefined, { key, value, by }: Write): JsonValue {
  let result: unknown;
  try {
    result = reduce(old, value, by);
  } catch (cause) {
    if (isHitlError(cause)) throw cause;
    const problem = `the reducer for \`${key}\`, ${writtenBy(by)}, failed: ${messageOf(cause)}`;
    throw new HitlError('BAD_STATE', problem, { cause, detail: { key, ...by } });
  }
  return result === old && old !== undefined ? old : checkJson(result, key, by);
}

function misfit(reducer: BuiltinReducer, old: JsonValue | undefined, write: Write): HitlError {
  if (reducer === 'sum' && typeof write.value === 'number' && (old === undefined || typeof old === 'number'))
    return new HitlError('BAD_STATE', `the sum of \`${write.key}\`, ${writtenBy(write.by)}, is too large`);
  const holds = old === undefined ? 'is absent' : `holds ${kindOf(old)}`;
  const problem = `\`${write.key}\` ${holds} and cannot ${reducer} ${kindOf(write.value)}, ${writtenBy(write.by)}`;
  return new HitlError('BAD_STATE', problem, {
    hint: HINTS[reducer],
    detail: { key: write.key, reducer, ...write.by },
  });
}

const HINTS = {
  append: '`append` requires the value to be a list or not yet set',
  sum: '`sum` requires two numbers or two strings; use `append` for lists',
  merge: '`merge` requires two objects',
};

/** Returns a graph's built-in reducers, which are stored with a session and used for people's edits. */
export function builtinReducers(reducers: Reducers): Readonly<Record<string, BuiltinReducer>> {
  const builtin = Object.entries(reducers).flatMap(([key, reducer]) =>
    reducer === 'append' || reducer === 'sum' || reducer === 'merge' ? [[key, reducer] as const] : [],
  );
  return Object.fromEntries(builtin);
}

/**
 * Computes the changes that a patch makes to a state after applying the reducers, without unchanged keys. The
 * patch's values are frozen. A key that is both set and deleted is set. The cost is proportional to the size
 * of the patch; `append` also copies the list, but not its items.
 * @throws HitlError BAD_STATE with the key and node, if a reducer rejects a value.
 */
export function reducePatch(
  state: GraphState | JsonObject,
  patch: StateChanges,
  reducers: Reducers,
  by: WrittenBy,
): StateChanges {
  const changes: [string, JsonValue | undefined][] = [];
  for (const [key, value] of Object.entries(deepFreeze(patch.set))) {
    const old = valueAt(state, key);
    const next = reduceWrite(reducerOf(reducers, key), old, { key, value, by });
    if (old === undefined || !jsonEquals(old, next)) changes.push([key, next]);
  }
  for (const key of patch.unset ?? []) {
    if (valueAt(state, key) !== undefined && !Object.hasOwn(patch.set, key)) changes.push([key, undefined]);
  }
  return changesOf(changes);
}
