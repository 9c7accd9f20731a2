import type { JsonObject, JsonValue, StateChanges } from '../../core/index.js';
import { canonicalJson, changesOf, HitlError, jsonEquals, valueAt } from '../../core/index.js';
import { checkJson } from './check-state.js';
import type { Reducer, Reducers } from './reducers.js';
import { reduceWrite, reducerOf } from './reducers.js';

// Invariants:
// M1 The result depends on the base, the branches and their order of declaration, never on which ended first (P-12).
// M2 A key that a branch left as it was in the base is never taken from that branch; a deletion is a change (P-6).
// M3 A key with a reducer is what the branches' writes give when they are applied to the base one branch after the
//    other, so nothing that was in the base is counted twice (P-7), and equal writes of two branches both count.

/** A patch applied in a branch, and the node that wrote it. */
interface Contribution {
  readonly node: string;
  readonly patch: StateChanges;
}

export interface Branch {
  readonly name: string;
  /** The branch's copy of the state when it ended. */
  readonly state: JsonObject;
  /**
   * All patches that lead from the base to `state`, oldest first, excluding undone ones. They are needed to
   * combine the writes of several branches to a key that has a reducer; without them, such writes conflict.
   */
  readonly contributions?: readonly Contribution[];
}

/** A key's value in one branch; `value` is absent if the branch deleted the key. */
interface BranchValue {
  readonly branch: string;
  readonly value?: JsonValue;
}

/** A key that several branches changed to different values. Plain data. */
export interface MergeConflict {
  readonly key: string;
  /** The value at the fork; absent if the key did not exist. */
  readonly base?: JsonValue;
  /** The branches that changed the key, in declaration order. */
  readonly values: readonly BranchValue[];
}

/**
 * How to resolve a conflict: fail, use the value (or deletion) of the last or first declared branch, or
 * compute a value.
 */
export type ConflictPolicy = 'error' | 'last' | 'first' | ((conflict: MergeConflict) => JsonValue);

export type Merge =
  | {
      readonly type: 'merged';
      /** The changes to the base, as the final value of each key. */
      readonly writes: StateChanges;
      /** The conflicts that the policy resolved, in key order. */
      readonly conflicts: readonly MergeConflict[];
    }
  | {
      readonly type: 'conflict';
      readonly conflicts: readonly MergeConflict[];
      /** `MERGE_CONFLICT`, with keys, branches and values. */
      readonly error: HitlError;
    };

export interface MergeOptions {
  readonly reducers: Reducers;
  /** Default: `error`. */
  readonly onConflict?: ConflictPolicy;
}

/**
 * Merges the states of branches that started from the same base (P-6, P-7, P-12). Branches are passed in
 * declaration order.
 *
 * For a key without a reducer, uses the change if only one branch changed the key or all changes agree;
 * otherwise reports a conflict. For a key with a reducer, folds all branches' contributions over the base. A
 * branch that deleted the key, or changed it without contributions, conflicts with any other writer.
 * @throws HitlError BAD_STATE if a reducer rejects a value, or a conflict function returns a value that JSON
 * cannot represent.
 */
export function mergeBranches(base: JsonObject, branches: readonly Branch[], options: MergeOptions): Merge {
  const { reducers, onConflict = 'error' } = options;
  const writes: (readonly [string, JsonValue | undefined])[] = [];
  const conflicts: MergeConflict[] = [];
  for (const key of keysOf(base, branches)) {
    const merged = mergeKey(key, { base, branches, reducer: reducerOf(reducers, key) });
    if (merged.type === 'conflict') conflicts.push(merged.conflict);
    if (merged.type === 'write') writes.push([key, merged.value]);
    if (merged.type === 'conflict' && onConflict !== 'error') {
      writes.push([key, settled(merged.conflict, onConflict)]);
    }
  }
  if (conflicts.length > 0 && onConflict === 'error') {
    return { type: 'conflict', conflicts, error: conflictError(conflicts) };
  }
  return { type: 'merged', writes: changesOf(writes), conflicts };
}

interface KeyMerge {
  readonly base: JsonObject;
  readonly branches: readonly Branch[];
  readonly reducer: Reducer;
}

type MergedKey =
  | { readonly type: 'same' }
  | { readonly type: 'write'; readonly value: JsonValue | undefined }
  | { readonly type: 'conflict'; readonly conflict: MergeConflict };

/** Returns all keys: the base's first, then new ones in the branches' declaration order. */
function keysOf(base: JsonObject, branches: readonly Branch[]): ReadonlySet<string> {
  return new Set([base, ...branches.map(({ state }) => state)].flatMap((state) => Object.keys(state)));
}

function mergeKey(key: string, { base, branches, reducer }: KeyMerge): MergedKey {
  const old = valueAt(base, key);
  const changed = branches.filter(({ state }) => !isSame(old, valueAt(state, key)));
  if (reducer !== 'overwrite' && canFold(key, branches, changed)) {
    const value = foldKey(key, { base, branches, reducer });
    return isSame(old, value) ? { type: 'same' } : { type: 'write', value };
  }
  const [first, ...rest] = changed;
  if (first === undefined) return { type: 'same' };
  const value = valueAt(first.state, key);
  const agrees = rest.every(({ state }) => isSame(value, valueAt(state, key)));
  // Two sums that come out the same are two writes: equal values settle a key only where it has no reducer.
  if (agrees && (rest.length === 0 || reducer === 'overwrite' || value === undefined))
    return { type: 'write', value };
  return { type: 'conflict', conflict: conflictOf(key, old, changed) };
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return jsonEquals(one, other);
}

/** Whether all changes to a key are writes that can be replayed over the base. */
function canFold(key: string, branches: readonly Branch[], changed: readonly Branch[]): boolean {
  const isDeleted = branches.some(({ contributions }) =>
    contributions?.some(({ patch }) => patch.unset?.includes(key) === true),
  );
  return !isDeleted && changed.every((branch) => writesOf(branch, key).length > 0);
}

function foldKey(key: string, { base, branches, reducer }: KeyMerge): JsonValue | undefined {
  let value = valueAt(base, key);
  for (const branch of branches) {
    for (const { node, written } of writesOf(branch, key)) {
      value = reduceWrite(reducer, value, { key, value: written, by: { node, branch: branch.name } });
    }
  }
  return value;
}

/** Returns a branch's writes to a key, oldest first. */
function writesOf({ contributions = [] }: Branch, key: string): { node: string; written: JsonValue }[] {
  return contributions.flatMap(({ node, patch }) => {
    const written = valueAt(patch.set, key);
    return written === undefined ? [] : [{ node, written }];
  });
}

function conflictOf(key: string, base: JsonValue | undefined, changed: readonly Branch[]): MergeConflict {
  const values = changed.map(({ name, state }): BranchValue => {
    const value = valueAt(state, key);
    return value === undefined ? { branch: name } : { branch: name, value };
  });
  return base === undefined ? { key, values } : { key, base, values };
}

function settled(conflict: MergeConflict, policy: Exclude<ConflictPolicy, 'error'>): JsonValue | undefined {
  switch (policy) {
    case 'last':
      return conflict.values.at(-1)?.value;
    case 'first':
      return conflict.values.at(0)?.value;
    default:
      return checkJson(policy(conflict), conflict.key, { node: 'onConflict' });
  }
}

const SHOWN_CONFLICTS = 3;
const SHOWN_LENGTH = 60;

function conflictError(conflicts: readonly MergeConflict[]): HitlError {
  const shown = conflicts.slice(0, SHOWN_CONFLICTS).map(({ key, values }) => {
    const each = values.map((value) => `branch \`${value.branch}\` ${shownValue(value)}`);
    return `\`${key}\`: ${each.join(', ')}`;
  });
  const more = conflicts.length - shown.length;
  const message = `branches disagree about ${shown.join('; ')}${more > 0 ? `; and ${more} more keys` : ''}`;
  const key = conflicts[0]?.key ?? '';
  return new HitlError('MERGE_CONFLICT', message, {
    hint: `declare a reducer for \`${key}\` (append, sum, merge or a function), or let onConflict decide (last, first or a function)`,
    detail: { conflicts },
  });
}

function shownValue({ value }: BranchValue): string {
  if (value === undefined) return 'deletes it';
  const text = canonicalJson(value);
  return `sets ${text.length > SHOWN_LENGTH ? `${text.slice(0, SHOWN_LENGTH)}...` : text}`;
}
