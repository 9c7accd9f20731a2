import type { JsonObject, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject } from '../../core/index.js';
import { parseStrictJson, yesOrNo } from '../answer/index.js';

/** One field of a form. */
export interface FormField {
  /** The member it fills; absent where the value is no object and the form has this one field. */
  readonly key?: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** What a field's text means: a value, no value at all, or why it cannot be read. */
export type FieldReading =
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly why: string };

/** The fields of a form for a schema: its properties, and those members of the value that it does not name. */
export function formFields(schema: JsonObject, value: JsonValue): readonly FormField[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties) && !isJsonObject(value)) return [{ schema, required: true }];
  const named = isJsonObject(properties) ? properties : {};
  const required = new Set(textsOf(schema['required']));
  const extra = isJsonObject(value) ? Object.keys(value).filter((key) => !Object.hasOwn(named, key)) : [];
  return [...Object.keys(named), ...extra].map((key) => {
    const member = Object.hasOwn(named, key) ? named[key] : undefined;
    return { key, schema: isJsonObject(member) ? member : {}, required: required.has(key) };
  });
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null || !isJsonArray(value)) return [];
  return value.filter((item) => typeof item === 'string');
}

/** The types that a schema allows; empty where it does not say. */
export function typesOf(schema: JsonObject): readonly string[] {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  const listed = textsOf(type);
  if (listed.length > 0) return listed;
  const variants = schema['anyOf'] ?? schema['oneOf'];
  if (typeof variants !== 'object' || variants === null || !isJsonArray(variants))
    return typesOfValues(schema);
  return [...new Set(variants.flatMap((variant) => (isJsonObject(variant) ? typesOf(variant) : [])))];
}

function typesOfValues(schema: JsonObject): readonly string[] {
  const only = schema['const'];
  const values = schema['enum'];
  const all = only !== undefined ? [only] : valuesOf(values);
  return [...new Set(all.map((value) => (typeof value === 'string' ? 'string' : 'other')))];
}

function valuesOf(value: JsonValue | undefined): readonly JsonValue[] {
  return typeof value === 'object' && value !== null && isJsonArray(value) ? value : [];
}

/** The values that a schema lists, as a person types them; empty where it lists none. */
export function listedValues(schema: JsonObject): readonly string[] {
  return valuesOf(schema['enum']).map(fieldText);
}

/** A value as a person types it: text bare, everything else as JSON. */
export function fieldText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** True where a field's text is taken as it is, without quotes. */
function isText(schema: JsonObject, current: JsonValue | undefined): boolean {
  const types = typesOf(schema);
  if (types.length > 0) return types.every((type) => type === 'string' || type === 'null');
  return typeof current === 'string';
}

const EMPTY = 'it cannot be left out; "" is an empty text';

function unreadable(types: readonly string[], message: string): string {
  const isNested = types.includes('object') || types.includes('array');
  return `expected ${types.join(' or ')}${isNested ? `: ${message}` : ''}`;
}

/**
 * Reads what was typed in a field. Text is taken as it is, anything else as JSON; an empty field that is not required
 * has no value, and `""` is the empty text.
 */
export function readField(field: FormField, text: string, current: JsonValue | undefined): FieldReading {
  const { schema, required } = field;
  const types = typesOf(schema);
  if (text === '') {
    const isKept = isText(schema, current) && current === '';
    if (isKept) return { type: 'value', value: '' };
    return required ? { type: 'unreadable', why: EMPTY } : { type: 'absent' };
  }
  if (text === 'null' && types.includes('null')) return { type: 'value', value: null };
  if (isText(schema, current)) return { type: 'value', value: text === '""' ? '' : text };
  const flag = types.includes('boolean') ? yesOrNo(text) : undefined;
  if (flag !== undefined) return { type: 'value', value: flag };
  const parsed = parseStrictJson(text.trim());
  if (parsed.ok) return { type: 'value', value: parsed.value };
  if (types.length === 0 || types.includes('string')) return { type: 'value', value: text };
  return { type: 'unreadable', why: unreadable(types, parsed.message) };
}

/** The value of a form: the first value with what its fields say now. */
export function withField(value: JsonValue, field: FormField, reading: FieldReading): JsonValue {
  if (field.key === undefined) return reading.type === 'value' ? reading.value : value;
  const members = isJsonObject(value) ? value : {};
  if (reading.type === 'value') return { ...members, [field.key]: reading.value };
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== field.key));
}
