import type { GraphState, JsonObject, JsonValue, StateChanges } from '../../core/index.js';
import { changesOf, deepFreeze, jsonEquals, valueAt } from '../../core/index.js';
import type { WrittenBy } from './check-state.js';
import type { Reducers } from './reducers.js';
import { reduceWrite, reducerOf } from './reducers.js';

/**
 * Computes what a patch changes of a state, after the reducers: keys that come out as they were are not in it. The
 * values of the patch are frozen. A key that is both set and deleted is set. The work is that of the patch; `append`
 * also copies the list (not its items).
 * @throws HitlError BAD_STATE where a reducer refuses, naming key and node.
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
