import type { JsonObject, JsonValue } from './json.js';
import { isJsonArray, isJsonObject, membersOf, jsonEquals } from './json.js';

/** Placeholder for a secret that has already been validated. Compared by identity. */
export const SEALED: JsonObject = Object.freeze({});

/**
 * Returns the reason that a value violates a JSON Schema, with its location; `undefined` if it is valid.
 * Checks types, constants, properties, items, bounds and unions. Ignores other keywords, so that patterns
 * from untrusted schemas are never run.
 */
export function schemaProblem(value: JsonValue, schema: JsonValue, place = 'it'): string | undefined {
  if (schema === false) return `${place} is not allowed`;
  if (!isJsonObject(schema) || value === SEALED) return undefined;
  return (
    typeProblem(value, schema, place) ??
    constantProblem(value, schema, place) ??
    unionProblem(value, schema, place) ??
    boundProblem(value, schema, place) ??
    (isJsonObject(value) ? memberProblem(value, schema, place) : undefined) ??
    (isJsonArray(value) ? itemProblem(value, schema, place) : undefined)
  );
}

function typeProblem(value: JsonValue, { type, nullable }: JsonObject, place: string): string | undefined {
  if (type === undefined || (nullable === true && value === null)) return undefined;
  const types = isJsonArray(type) ? type : [type];
  if (types.some((one) => isOfType(value, one))) return undefined;
  return `${place}: expected ${types.map(String).join(' or ')}, received ${typeOf(value)}`;
}

const KNOWN: ReadonlySet<JsonValue | undefined> = new Set([
  'null',
  'boolean',
  'number',
  'integer',
  'string',
  'array',
  'object',
]);

/** Whether a value has a type. Accepts any value if the type is unknown. */
function isOfType(value: JsonValue, type: JsonValue | undefined): boolean {
  if (!KNOWN.has(type)) return true;
  if (type === 'integer') return Number.isInteger(value);
  return typeOf(value) === type;
}

function typeOf(value: JsonValue): string {
  if (value === null) return 'null';
  return isJsonArray(value) ? 'array' : typeof value;
}

function constantProblem(value: JsonValue, schema: JsonObject, place: string): string | undefined {
  const { enum: choices, const: constant } = schema;
  if (constant !== undefined && !jsonEquals(value, constant))
    return `${place}: expected ${JSON.stringify(constant)}`;
  if (choices === undefined || !isJsonArray(choices) || choices.some((one) => jsonEquals(one, value)))
    return undefined;
  return `${place}: expected one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`;
}

function unionProblem(value: JsonValue, schema: JsonObject, place: string): string | undefined {
  for (const all of listOf(schema['allOf'])) {
    const problem = schemaProblem(value, all, place);
    if (problem !== undefined) return problem;
  }
  for (const key of ['anyOf', 'oneOf']) {
    const problems = listOf(schema[key]).map((one) => schemaProblem(value, one, place));
    if (problems.length > 0 && problems.every((problem) => problem !== undefined))
      return [...new Set(problems)].join(', or ');
  }
  return undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value !== undefined && isJsonArray(value) ? value : [];
}

function boundProblem(value: JsonValue, schema: JsonObject, place: string): string | undefined {
  if (typeof value === 'number') return numberProblem(value, schema, place);
  const [size, words] =
    typeof value === 'string'
      ? [Array.from(value).length, ['minLength', 'maxLength', 'characters'] as const]
      : isJsonArray(value)
        ? [value.length, ['minItems', 'maxItems', 'items'] as const]
        : [undefined, undefined];
  if (words === undefined) return undefined;
  const [least, most] = [schema[words[0]], schema[words[1]]];
  if (typeof least === 'number' && size < least) return `${place}: expected at least ${least} ${words[2]}`;
  if (typeof most === 'number' && size > most) return `${place}: expected at most ${most} ${words[2]}`;
  return undefined;
}

function numberProblem(value: number, schema: JsonObject, place: string): string | undefined {
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof minimum === 'number' && value < minimum) return `${place}: expected at least ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `${place}: expected at most ${maximum}`;
  if (typeof above === 'number' && value <= above) return `${place}: expected more than ${above}`;
  if (typeof below === 'number' && value >= below) return `${place}: expected less than ${below}`;
  return undefined;
}

function memberProblem(value: JsonObject, schema: JsonObject, place: string): string | undefined {
  const { properties, additionalProperties: others, patternProperties } = schema;
  const known = membersOf(properties);
  for (const name of listOf(schema['required'])) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${at(place, name)} is missing`;
  }
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(known, name)
      ? known[name]
      : patternProperties === undefined
        ? others
        : undefined;
    const problem = own === undefined ? undefined : schemaProblem(member, own, at(place, name));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function itemProblem(value: readonly JsonValue[], schema: JsonObject, place: string): string | undefined {
  const before = listOf(schema['prefixItems']);
  for (const [index, item] of value.entries()) {
    const own = before[index] ?? schema['items'];
    const problem = own === undefined ? undefined : schemaProblem(item, own, `${place}[${index}]`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function at(place: string, name: string): string {
  return place === 'it' ? name : `${place}.${name}`;
}
