import type { JsonObject, JsonValue } from '../core/index.js';
import { isJsonArray, isJsonObject } from '../core/index.js';

/** Schema keywords that a provider rejects at the top level of a tool's input schema. */
const COMBINATORS = ['anyOf', 'oneOf', 'allOf'];
const DEFINITIONS = ['$defs', 'definitions'];

/**
 * Whether a tool's input must be wrapped as `{ "value": … }`, because providers accept only objects as tool
 * inputs.
 */
export function needsWrapping(schema: JsonObject): boolean {
  return schema['type'] !== 'object' || COMBINATORS.some((key) => Object.hasOwn(schema, key));
}

/**
 * Adjusts references within the schema to the extra level of nesting. References to definitions are
 * unchanged.
 */
function moveReferences(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(moveReferences);
  if (!isJsonObject(value)) return value;
  const moved = Object.entries(value).map(([key, member]): [string, JsonValue] => {
    if (key !== '$ref' || typeof member !== 'string') return [key, moveReferences(member)];
    const stays = !member.startsWith('#') || DEFINITIONS.some((name) => member.startsWith(`#/${name}/`));
    return [key, stays ? member : `#/properties/value${member.slice(1)}`];
  });
  return Object.fromEntries(moved);
}

/**
 * Returns the schema to send to a provider: the tool's own schema or, if it must be wrapped, an object schema
 * with a `value` property.
 */
export function toObjectSchema(schema: JsonObject): JsonObject {
  if (!needsWrapping(schema)) return schema;
  const inner: Record<string, JsonValue> = {};
  const outer: Record<string, JsonValue> = {};
  for (const [key, member] of Object.entries(schema)) {
    if (DEFINITIONS.includes(key)) outer[key] = moveReferences(member);
    else if (key !== '$schema') inner[key] = moveReferences(member);
  }
  return {
    type: 'object',
    properties: { value: inner },
    required: ['value'],
    additionalProperties: false,
    ...outer,
  };
}

/** Wraps an input for a provider. */
export function wrapInput(input: JsonValue): JsonObject {
  return { value: input };
}

/** Returns the value in `{ "value": … }`; `undefined` for anything else. */
export function unwrapInput(input: JsonValue): { readonly value: JsonValue } | undefined {
  if (!isJsonObject(input) || !Object.hasOwn(input, 'value')) return undefined;
  const { value } = input;
  return value === undefined || Object.keys(input).length > 1 ? undefined : { value };
}
