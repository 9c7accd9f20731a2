/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is a JSON object; false for arrays and `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the properties of a JSON object, or an empty object for any other value. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Returns an own property; `undefined` if missing or inherited. */
export function ownOf<Member>(
  object: Readonly<Record<string, Member>> | undefined,
  key: string,
): Member | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Whether the value is a JSON array. Narrows the type precisely; `Array.isArray` would widen it to `any[]`.
 */
export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Returns JSON with sorted keys and without whitespace, so that equal values have equal text. `undefined`
 * properties are omitted, as in `JSON.stringify`.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  let members = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/**
 * Deeply freezes a JSON value and returns it, so that the value that runs cannot differ from the one that was
 * shown (G12).
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

type Maybe<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The same properties, but those that may be `undefined` may be absent instead. */
export type Present<T> = Omit<T, Maybe<T>> & { [K in Maybe<T>]?: Exclude<T[K], undefined> };

/** Removes properties that are `undefined`. */
export function present<T extends object>(members: T): Present<T>;
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Formats a value as a person would type it: a string unchanged, everything else as JSON. */
export function bareText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Maximum nesting depth of a value to write. Real values are never this deep. */
const MOST_LEVELS = 1_000;

/** How `undefined` properties are treated: `refused`, or `absent` as in `JSON.stringify`. */
type UndefinedMembers = 'refused' | 'absent';

/**
 * Whether JSON can represent a value: no functions, big integers, infinite numbers, cycles, or class
 * instances such as dates, which JSON would change.
 */
export function isJson(value: unknown, undefinedMembers: UndefinedMembers = 'refused'): value is JsonValue {
  return isJsonWithin([], value, undefinedMembers);
}

/** Checks a value inside other objects. `around` lists the enclosing objects, outermost first. */
function isJsonWithin(around: object[], value: unknown, undefinedMembers: UndefinedMembers): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || isJsonContainer(around, value, undefinedMembers);
    case 'undefined':
    case 'bigint':
    case 'symbol':
    case 'function':
      return false;
  }
}

function isJsonContainer(around: object[], value: object, undefinedMembers: UndefinedMembers): boolean {
  if (around.length >= MOST_LEVELS || around.includes(value)) return false;
  const isFit = (member: unknown): boolean => isJsonWithin(around, member, undefinedMembers);
  around.push(value);
  const fits = Array.isArray(value)
    ? Array.from(value).every(isFit) // a hole in a list is no value
    : isPlain(value) &&
      Object.values(value).every(
        (member) => (member === undefined && undefinedMembers === 'absent') || isFit(member),
      );
  around.pop();
  return fits;
}

/** Whether an object is a plain object, including one from another realm. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Maximum nesting of arrays and objects in a session (G8). */
export const MAX_DEPTH = 64;

/** Whether arrays and objects are nested deeper than `limit`. Safe for any depth. */
export function isDeeperThan(value: JsonValue, limit: number): boolean {
  if (typeof value !== 'object') return false;
  const waiting: (readonly [value: JsonValue, depth: number])[] = [[value, 0]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [inner, depth] = next;
    if (typeof inner !== 'object' || inner === null) continue;
    if (depth === limit) return true;
    const members = isJsonArray(inner) ? inner : Object.values(inner);
    for (const member of members) waiting.push([member, depth + 1]);
  }
  return false;
}

/**
 * Compares JSON values deeply, stopping at the first difference. Ignores key order and `undefined`
 * properties, like `canonicalJson`. `onCompare` is called before each comparison and may throw to give up.
 */
export function jsonEquals(left: JsonValue, right: JsonValue, onCompare?: () => void): boolean {
  const waiting: (readonly [JsonValue, JsonValue])[] = [[left, right]];
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    onCompare?.();
    const [one, other] = pair;
    // Parts that two states share are the same object: they need no walk.
    if (one === other) continue;
    if (!isContainer(one) || !isContainer(other)) return false;
    const parts = partsOf(one, other);
    if (parts === undefined) return false;
    for (const part of parts) waiting.push(part);
  }
  return true;
}

type Container = JsonObject | readonly JsonValue[];

function isContainer(value: JsonValue): value is Container {
  return typeof value === 'object' && value !== null;
}

type Pairs = (readonly [JsonValue, JsonValue])[];

/** Returns the pairs of items that remain to be compared; `undefined` if the containers already differ. */
function partsOf(one: Container, other: Container): Pairs | undefined {
  if (isJsonArray(one)) return isJsonArray(other) ? itemsOf(one, other) : undefined;
  return isJsonArray(other) ? undefined : pairsOf(one, other);
}

function itemsOf(one: readonly JsonValue[], other: readonly JsonValue[]): Pairs | undefined {
  if (one.length !== other.length) return undefined;
  const pairs: Pairs = [];
  for (const [index, item] of one.entries()) pairs.push([item, other[index] ?? null]);
  return pairs;
}

function pairsOf(one: JsonObject, other: JsonObject): Pairs | undefined {
  const entries = Object.entries(one).filter(isThere);
  if (entries.length !== Object.entries(other).filter(isThere).length) return undefined;
  const pairs: Pairs = [];
  for (const [key, member] of entries) {
    const theirs = ownOf(other, key);
    if (theirs === undefined) return undefined;
    pairs.push([member, theirs]);
  }
  return pairs;
}

function isThere([, member]: readonly [string, JsonValue | undefined]): boolean {
  return member !== undefined;
}
