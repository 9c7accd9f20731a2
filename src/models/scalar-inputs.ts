import type { JsonObject, JsonValue } from '../core/index.js';
import { isJsonArray, isJsonObject } from '../core/index.js';

/** Schema keys that a provider refuses at the top of a tool's input. */
const COMBINATORS = ['anyOf', 'oneOf', 'allOf'];
const DEFINITIONS = ['$defs', 'definitions'];

/** Whether a provider, which accepts only objects as tool inputs, must be shown `{ "value": … }` instead. */
export function needsWrapping(schema: JsonObject): boolean {
  return schema['type'] !== 'object' || COMBINATORS.some((key) => Object.hasOwn(schema, key));
}

/** Adjusts references into the schema for one more level; those into the definitions are unchanged. */
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

/** Returns the schema for a provider: the tool's own, or an object with the property `value`. */
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

/** An input as a provider is shown it. */
export function wrapInput(input: JsonValue): JsonObject {
  return { value: input };
}

/** Returns the value in `{ "value": … }`; `undefined` for anything else. */
export function unwrapInput(input: JsonValue): { readonly value: JsonValue } | undefined {
  if (!isJsonObject(input) || !Object.hasOwn(input, 'value')) return undefined;
  const { value } = input;
  return value === undefined || Object.keys(input).length > 1 ? undefined : { value };
}
