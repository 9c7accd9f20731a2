import type { JsonObject, JsonValue } from '../data/json.js';
import { isJsonArray, isJsonObject, membersOf, ownOf } from '../data/json.js';

/**
 * Maximum number of schema references to follow for one value. More references mean that there is a cycle.
 */
const MOST_REFERENCES = 16;

/** Whether a schema marks its values as secret, with `format: "password"` or `writeOnly`. */
export function isSecretSchema(schema: JsonValue | undefined): boolean {
  if (schema === undefined || !isJsonObject(schema)) return false;
  return schema['format'] === 'password' || schema['writeOnly'] === true;
}

/** Whether a schema's values may contain a secret. */
export function mayHoldSecret(schema: JsonValue | undefined): boolean {
  if (schema === undefined || schema === null || typeof schema !== 'object') return false;
  if (isJsonArray(schema)) return schema.some(mayHoldSecret);
  return isSecretSchema(schema) || Object.values(schema).some(mayHoldSecret);
}

/**
 * Returns JSON pointers to the secrets in a value, according to its schema; `''` stands for the whole value.
 * `null` is never a secret.
 */
export function secretPlaces(value: JsonValue, schema: JsonObject | undefined): readonly string[] {
  if (schema === undefined) return [];
  const places = new Set<string>();
  const walk = new Walk(schema, places);
  walk.value(value, schema, '', 0);
  return [...places].filter((place) => !isWithin(place, places));
}

/** Whether a JSON pointer leads into a secret. */
function isWithin(place: string, places: ReadonlySet<string>): boolean {
  for (let end = place.lastIndexOf('/'); end >= 0; end = place.lastIndexOf('/', end - 1)) {
    if (places.has(place.slice(0, end))) return true;
    if (end === 0) return false;
  }
  return false;
}

class Walk {
  readonly #root: JsonObject;
  readonly #places: Set<string>;

  constructor(root: JsonObject, places: Set<string>) {
    this.#root = root;
    this.#places = places;
  }

  value(value: JsonValue, schema: JsonValue | undefined, at: string, references: number): void {
    if (value === null || schema === undefined || !isJsonObject(schema)) return;
    if (isSecretSchema(schema)) {
      this.#places.add(at);
      return;
    }
    const { $ref: reference } = schema;
    if (typeof reference === 'string' && references < MOST_REFERENCES)
      this.value(value, memberAt(this.#root, reference.replace(/^#/u, '')), at, references + 1);
    for (const key of ['allOf', 'anyOf', 'oneOf', 'then', 'else'])
      for (const one of listOf(schema[key])) this.value(value, one, at, references);
    if (isJsonArray(value)) this.#items(value, schema, at);
    else if (isJsonObject(value)) this.#members(value, schema, at);
  }

  #items(value: readonly JsonValue[], { items, prefixItems }: JsonObject, at: string): void {
    const before = listOf(prefixItems);
    value.forEach((item, index) => {
      this.value(item, before[index] ?? items, `${at}/${index}`, 0);
    });
  }

  #members(value: JsonObject, schema: JsonObject, at: string): void {
    const { properties, patternProperties, additionalProperties } = schema;
    for (const [key, member] of Object.entries(value)) {
      const place = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      const own = ownOf(membersOf(properties), key);
      // No pattern of a stranger runs here: a secret of one pattern is one of all.
      const others =
        own === undefined ? [...Object.values(membersOf(patternProperties)), additionalProperties] : [own];
      for (const one of others) this.value(member, one, place, 0);
    }
  }
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined) return [];
  return isJsonArray(value) ? value : [value];
}

/** Returns the value at a JSON pointer; `undefined` if there is none. */
export function memberAt(value: JsonValue, place: string): JsonValue | undefined {
  let here: JsonValue | undefined = value;
  for (const key of keysOf(place)) {
    if (here === undefined) return undefined;
    here =
      typeof here === 'object' && here !== null && isJsonArray(here)
        ? here[Number(key)]
        : ownOf(membersOf(here), key);
  }
  return here;
}

/**
 * Returns a copy with a new value at a JSON pointer, or the original value if the pointer does not lead
 * anywhere.
 */
export function withMemberAt(value: JsonValue, place: string, put: JsonValue): JsonValue {
  return putIn(value, keysOf(place), put);
}

function putIn(value: JsonValue, [key, ...deeper]: readonly string[], put: JsonValue): JsonValue {
  if (key === undefined) return put;
  if (value === null || typeof value !== 'object') return value;
  if (isJsonArray(value))
    return value.map((item, index) => (String(index) === key ? putIn(item, deeper, put) : item));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? putIn(member, deeper, put) : member]),
  );
}

function keysOf(place: string): readonly string[] {
  return place
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
