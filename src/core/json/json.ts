/** Any value that survives `JSON.parse(JSON.stringify(value))` unchanged. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;
/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for a JSON object; false for arrays and `null`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a JSON object; anything else has none. */
export function membersOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** A member of an object's own; `undefined` where it has none, and of what every object inherits. */
export function ownOf<Member>(
  object: Readonly<Record<string, Member>> | undefined,
  key: string,
): Member | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** True for an array of JSON values; narrows where `Array.isArray` widens to `any[]`. */
export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * Writes JSON with sorted keys and no white space, so that equal values have equal text.
 * `undefined` members are left out, as `JSON.stringify` does.
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

/** Freezes a JSON value to its last leaf and returns it: what is shown is then what runs (G12). */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

type Maybe<T> = { [K in keyof T]: undefined extends T[K] ? K : never }[keyof T];

/** The same members, where each that may be `undefined` may be absent instead. */
export type Present<T> = Omit<T, Maybe<T>> & { [K in Maybe<T>]?: Exclude<T[K], undefined> };

/** Leaves out the members that are `undefined`, so that what becomes JSON says nothing of them. */
export function present<T extends object>(members: T): Present<T>;
export function present(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
