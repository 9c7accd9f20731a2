import type { JsonObject, JsonValue } from '../../../core/index.js';
import { isJsonArray, isJsonObject } from '../../../core/index.js';

/** A schema in the strict format of the API, with the numbers to which the API's limits apply. */
export interface StrictForm {
  readonly schema: JsonObject;
  /** Number of optional properties in the schema. */
  readonly optional: number;
  /** Number of union types in the schema. */
  readonly unions: number;
}

const ANNOTATIONS = ['title', 'description'];
/** Constraints that the API does not enforce. They are described as text, and hitl validates them. */
const IN_WORDS = new Set([
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'format',
  'minItems',
  'maxItems',
  'uniqueItems',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]);
const FORMATS = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
]);
const SCALARS = new Set<JsonValue | undefined>(['string', 'number', 'integer', 'boolean', 'null']);

/**
 * Converts a schema to the strict format of the API, with closed objects and with unsupported constraints as
 * text. Returns `undefined` if the format would exclude valid values, for example because of additional
 * properties, references or conditions.
 */
export function strictForm(schema: JsonObject): StrictForm | undefined {
  const counts = { optional: 0, unions: 0 };
  const form = formOf(schema, counts);
  return form === undefined ? undefined : { schema: form, ...counts };
}

interface Counts {
  optional: number;
  unions: number;
}

function formOf(schema: JsonValue | undefined, counts: Counts): JsonObject | undefined {
  if (schema === undefined || !isJsonObject(schema)) return undefined;
  const { $schema: _dialect, ...rest } = schema;
  const form = typedForm(rest, counts);
  if (form === undefined) return undefined;
  const { known, members } = form;
  const words: string[] = [];
  for (const [key, value] of Object.entries(rest)) {
    if (known.includes(key) || ANNOTATIONS.includes(key)) continue;
    if (!IN_WORDS.has(key)) return undefined;
    words.push(`${key}: ${JSON.stringify(value)}`);
  }
  const { title, description } = rest;
  const told = [
    ...(typeof description === 'string' && description !== '' ? [description] : []),
    ...(words.length > 0 ? [`{${words.join(', ')}}`] : []),
  ];
  return {
    ...(typeof title === 'string' && { title }),
    ...(told.length > 0 && { description: told.join('\n\n') }),
    ...members,
  };
}

/** The strict format of a schema without its descriptions, and the keywords that are covered. */
interface TypedForm {
  readonly known: readonly string[];
  readonly members: JsonObject;
}

function typedForm(schema: JsonObject, counts: Counts): TypedForm | undefined {
  const { type, enum: choices, const: constant, anyOf, oneOf } = schema;
  if (choices !== undefined)
    return isJsonArray(choices) && choices.every(isScalar)
      ? { known: ['type', 'enum'], members: { enum: choices } }
      : undefined;
  if (constant !== undefined)
    return isScalar(constant) ? { known: ['type', 'const'], members: { const: constant } } : undefined;
  if (anyOf !== undefined) return unionForm('anyOf', anyOf, counts);
  if (oneOf !== undefined) return unionForm('oneOf', oneOf, counts);
  if (type === 'object') return objectForm(schema, counts);
  if (type === 'array') return arrayForm(schema, counts);
  if (type === 'string') {
    const { format } = schema;
    const isKept = typeof format === 'string' && FORMATS.has(format);
    return {
      known: isKept ? ['type', 'format'] : ['type'],
      members: { type, ...(isKept && { format }) },
    };
  }
  if (type !== undefined && isJsonArray(type) && type.every((one) => SCALARS.has(one))) {
    counts.unions += 1;
    return { known: ['type'], members: { type } };
  }
  return type !== undefined && SCALARS.has(type) ? { known: ['type'], members: { type } } : undefined;
}

function isScalar(value: JsonValue): boolean {
  return value === null || typeof value !== 'object';
}

function unionForm(key: 'anyOf' | 'oneOf', variants: JsonValue, counts: Counts): TypedForm | undefined {
  if (!isJsonArray(variants) || variants.length === 0) return undefined;
  counts.unions += 1;
  const forms = allOf(variants, counts);
  return forms === undefined ? undefined : { known: [key], members: { anyOf: forms } };
}

function objectForm(schema: JsonObject, counts: Counts): TypedForm | undefined {
  const { properties = {}, required = [], additionalProperties: others = false } = schema;
  if (others !== false || !isJsonObject(properties) || !isJsonArray(required)) return undefined;
  const names = Object.keys(properties);
  const forms = allOf(
    Object.values(properties).map((member) => member ?? null),
    counts,
  );
  if (forms === undefined || required.some((name) => typeof name !== 'string' || !names.includes(name)))
    return undefined;
  counts.optional += names.filter((name) => !required.includes(name)).length;
  return {
    known: ['type', 'properties', 'required', 'additionalProperties'],
    members: {
      type: 'object',
      properties: Object.fromEntries(names.map((name, index) => [name, forms[index] ?? {}])),
      required,
      additionalProperties: false,
    },
  };
}

function arrayForm({ items, minItems }: JsonObject, counts: Counts): TypedForm | undefined {
  const form = formOf(items, counts);
  if (form === undefined) return undefined;
  const isKept = minItems === 0 || minItems === 1;
  return {
    known: isKept ? ['type', 'items', 'minItems'] : ['type', 'items'],
    members: { type: 'array', items: form, ...(isKept && { minItems }) },
  };
}

function allOf(schemas: readonly JsonValue[], counts: Counts): readonly JsonObject[] | undefined {
  const forms = schemas.map((schema) => formOf(schema, counts));
  return forms.every((form) => form !== undefined) ? forms : undefined;
}
