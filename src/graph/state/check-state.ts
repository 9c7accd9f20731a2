import type { JsonObject, JsonValue, StateChanges } from '../../core/index.js';
import { HitlError, isJsonObject, isPlain, isReservedKey, MAX_DEPTH, membersOf } from '../../core/index.js';

/** Maximum number of values in one patch. Without it, shared objects could expand without limit. */
const MAX_VALUES = 1_000_000;

/** Identifies the writer of a value, for errors and reducers. */
export interface WrittenBy {
  readonly node: string;
  /** The group branch, if its writes are being merged. */
  readonly branch?: string;
}

/** Describes the writer of a value, for an error message. */
export function writtenBy({ node, branch }: WrittenBy): string {
  const where = branch === undefined ? '' : ` in branch \`${branch}\``;
  return `written by node \`${node}\`${where}`;
}

/**
 * Creates a patch from a node's result. `set` contains keys and values for the reducers; `unset` is a list of
 * keys. Values are copied and frozen. `undefined` is ignored, both as a value and as an argument. `-0` is
 * stored as 0, as in JSON.
 * @throws HitlError BAD_STATE with the node and key, for a value that JSON cannot represent (C-20) or that is
 * too large, a reserved key (C-24), or a key that is both set and deleted.
 */
export function checkPatch(set: unknown, by: WrittenBy, unset?: unknown): StateChanges {
  const values = set === undefined ? {} : checkedValues(set, by);
  const removed = unset === undefined ? [] : checkedUnset(unset, by);
  const both = removed.find((key) => Object.hasOwn(values, key));
  if (both !== undefined) {
    throw new HitlError('BAD_STATE', `node \`${by.node}\` both sets and deletes \`${both}\``, {
      hint: 'remove the key from one of them',
    });
  }
  return Object.freeze(removed.length === 0 ? { set: values } : { set: values, unset: removed });
}

/**
 * Returns a frozen copy of a JSON value, without `undefined` properties. Errors use `place` to identify the
 * value, as in "`a.b`, written by node `c`,".
 * @throws HitlError BAD_STATE for a value that JSON cannot represent, that has more than 64 levels, or that
 * contains more than 1,000,000 values.
 */
export function checkJson(value: unknown, place: string, by: WrittenBy): JsonValue {
  return copied(value, place, { by, deepest: MAX_DEPTH, parents: new Set(), values: 0 });
}

interface Copying {
  readonly by: WrittenBy;
  readonly deepest: number;
  readonly parents: Set<object>;
  values: number;
}

function checkedValues(set: unknown, by: WrittenBy): JsonObject {
  // The patch itself is a level more than its values.
  const copying: Copying = { by, deepest: MAX_DEPTH + 1, parents: new Set(), values: 0 };
  if (!isJsonObject(set) || !isPlain(set)) {
    throw new HitlError('BAD_STATE', `the patch of node \`${by.node}\` is ${nameOf(set)}, not an object`, {
      hint: 'return an object of keys and values',
    });
  }
  for (const key of Object.keys(set)) checkKey(key, by);
  return membersOf(copied(set, '', copying));
}

function checkedUnset(unset: unknown, by: WrittenBy): readonly string[] {
  const keys: string[] = [];
  for (const key of Array.isArray(unset) ? new Set<unknown>(unset) : [unset]) {
    if (typeof key !== 'string' || !Array.isArray(unset)) {
      throw new HitlError('BAD_STATE', `\`unset\` of node \`${by.node}\` must be a list of keys`);
    }
    checkKey(key, by);
    keys.push(key);
  }
  return Object.freeze(keys);
}

function checkKey(key: string, by: WrittenBy): void {
  if (!isReservedKey(key)) return;
  throw new HitlError('BAD_STATE', `node \`${by.node}\` writes the reserved key \`${key}\``, {
    hint: 'use a key that does not start with `_` or `graph_` and is not a JavaScript name',
  });
}

function copied(value: unknown, place: string, copying: Copying): JsonValue {
  copying.values += 1;
  if (copying.values > MAX_VALUES) {
    throw refusal(place, `exceeds the limit of ${MAX_VALUES} values in a patch`, copying.by);
  }
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      // Adding zero makes -0 what JSON makes of it.
      if (Number.isFinite(value)) return value + 0;
      throw refusal(place, `is ${value}, which is not valid in JSON`, copying.by);
    case 'object':
      return value === null ? null : copiedObject(value, place, copying);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      throw refusal(place, `is ${nameOf(value)}, which is not valid in JSON`, copying.by);
  }
}

function copiedObject(value: object, place: string, copying: Copying): JsonValue {
  const { by, deepest, parents } = copying;
  if (parents.has(value)) throw refusal(place, 'contains itself, which is not valid in JSON', by);
  if (parents.size >= deepest) throw refusal(place, `is more than ${MAX_DEPTH} levels deep`, by);
  if (!Array.isArray(value) && !isPlain(value)) {
    throw refusal(place, `is ${nameOf(value)}, which is not valid in JSON`, by);
  }
  parents.add(value);
  const copy = Array.isArray(value)
    ? // Not `map`, which leaves out the holes.
      Array.from(value, (item: unknown, index) => copied(item, `${place}[${index}]`, copying))
    : copiedMembers(value, place, copying);
  parents.delete(value);
  return Object.freeze(copy);
}

function copiedMembers(value: object, place: string, copying: Copying): JsonObject {
  const members: [string, JsonValue][] = [];
  for (const [key, member] of Object.entries(value)) {
    const where = place === '' ? key : `${place}.${key}`;
    if (key === '__proto__') throw refusal(where, 'is not allowed as a key', copying.by);
    if (member !== undefined) members.push([key, copied(member, where, copying)]);
  }
  return Object.fromEntries(members);
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object') return `a ${typeof value}`;
  const name: unknown = Reflect.get(value, 'constructor');
  return `a ${typeof name === 'function' && name.name !== '' ? name.name : 'object of a class'}`;
}

function refusal(place: string, problem: string, by: WrittenBy): HitlError {
  const key = place.split(/[.[]/u, 1)[0] ?? place;
  return new HitlError('BAD_STATE', `\`${clipped(place)}\`, ${writtenBy(by)}, ${problem}`, {
    hint: 'use plain objects, lists, strings, finite numbers, booleans and null',
    detail: { key, ...by },
  });
}

function clipped(place: string): string {
  return place.length > 100 ? `${place.slice(0, 100)}...` : place;
}
