import type { Interrupt, JsonObject, JsonValue } from '../../core/index.js';
import {
  escapeText,
  isJsonArray,
  isJsonObject,
  isSecretSchema,
  jsonEquals,
  membersOf,
  plainLine,
  shownJson,
} from '../../core/index.js';
import type { Choice } from './listed-choices.js';
import { choiceName, memberChoices, schemaChoices, shownChoice } from './listed-choices.js';
import { shownKey } from '../values/value-rows.js';

export interface FormField {
  /** Property to set; absent if the value is not an object and this is the only field. */
  readonly key?: string;
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** Width of a field's description, in columns. */
const WORDS_COLUMNS = 60;
/** Deeper values of an example stay empty. */
const MAX_DEPTH = 5;

/** Returns the form fields of a schema: its properties, and those of the value that it does not define. */
export function formFields(schema: JsonObject, value: JsonValue): readonly FormField[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties) && !isJsonObject(value)) return [{ schema, required: true }];
  const named = membersOf(properties);
  const required = new Set(textsOf(schema['required']));
  const extra = isJsonObject(value) ? Object.keys(value).filter((key) => !Object.hasOwn(named, key)) : [];
  return [...Object.keys(named), ...extra].map((key) => {
    const member = Object.hasOwn(named, key) ? named[key] : undefined;
    return { key, schema: membersOf(member), required: required.has(key) };
  });
}

/** Returns the schema of a question answered with a form; `undefined` for any other. */
export function formOf({ kind, answerSchema }: Interrupt): JsonObject | undefined {
  if (kind !== 'question' || answerSchema === undefined) return undefined;
  const types = typesOf(answerSchema);
  const properties = answerSchema['properties'];
  const isForm = types.length === 1 && types[0] === 'object' && isJsonObject(properties);
  return isForm && Object.keys(properties).length > 0 ? answerSchema : undefined;
}

/**
 * Returns the schema of the value that an approval passes to the asking tool; `undefined` if it needs none or
 * a plain yes.
 */
export function passedOn({ resumeSchema, allowed }: Interrupt): JsonObject | undefined {
  if (resumeSchema === undefined || !allowed.includes('restart')) return undefined;
  const types = typesOf(resumeSchema);
  return types.length === 0 || types.includes('boolean') ? undefined : resumeSchema;
}

/** Returns a field's label, safe for a terminal: its title, plus its key if that differs; else its key. */
export function labelOf({ key, schema }: FormField): string {
  const { title } = schema;
  const name = key === undefined ? undefined : shownKey(key);
  if (typeof title !== 'string' || title.trim() === '') return name ?? 'value';
  return name === undefined || lettersOf(title) === lettersOf(key)
    ? escapeText(title)
    : `${escapeText(title)} [${name}]`;
}

/** The letters and digits of a name: `Due date?` and `due_date` are one. */
function lettersOf(text = ''): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** Describes accepted values: `a number, at least 1`; empty for any text. */
export function kindWords({ schema, required }: FormField): string {
  const listed = schemaChoices(schema);
  const members = memberChoices(schema);
  const kinds = typesOf(schema).filter((type) => type !== 'null');
  const what =
    listed.length > 0
      ? [`one of ${listWords(listed)}`]
      : members.length > 0
        ? [`comma-separated: ${listWords(members)}`]
        : isSecretSchema(schema)
          ? ['secret']
          : kinds.length === 0 || kinds.includes('string')
            ? []
            : [kinds.map((kind) => KINDS[kind] ?? kind).join(' or ')];
  return [...what, ...boundWords(schema), ...(required ? [] : ['optional'])].join(', ');
}

/** Lists choices on one line. Cuts a long list, but never a choice whose answer differs from its label. */
function listWords(choices: readonly Choice[]): string {
  const shown = choices.map(shownChoice);
  const isAsSaid = shown.every(({ answers }) => answers === undefined);
  return isAsSaid
    ? plainLine(choices.map(({ label }) => label).join(', '), WORDS_COLUMNS)
    : shown.map(choiceName).join(', ');
}

const KINDS: Readonly<Record<string, string>> = {
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no',
  array: 'JSON array',
  object: 'JSON object',
};

function boundWords({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): readonly string[] {
  const words = (value: JsonValue | undefined, word: string): readonly string[] =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? [`${word} ${value}`] : [];
  return [
    ...words(minimum, 'at least'),
    ...words(exclusiveMinimum, 'above'),
    ...words(maximum, 'at most'),
    ...words(exclusiveMaximum, 'below'),
  ];
}

/** Lists the fields with their descriptions and accepted values; safe for a terminal. */
export function formLines(schema: JsonObject): readonly string[] {
  return formFields(schema, {}).map((field) => {
    const words = kindWords(field);
    return `${labelOf(field)}${words === '' ? '' : ` (${words})`}`;
  });
}

/** An answer that a schema takes, as a line of JSON that can be typed; every required field is in it. */
export function exampleAnswer(schema: JsonObject): string {
  return shownJson(exampleOf(schema, 0));
}

function exampleOf(schema: JsonObject, depth: number): JsonValue {
  const { default: usual, const: only, minimum, exclusiveMinimum } = schema;
  if (only !== undefined) return only;
  if (usual !== undefined) return usual;
  const [listed] = valuesOf(schema['enum']);
  if (listed !== undefined) return listed;
  const [type = 'string'] = typesOf(schema);
  switch (type) {
    case 'number':
    case 'integer':
      if (typeof minimum === 'number') return Math.ceil(minimum);
      return typeof exclusiveMinimum === 'number' ? Math.floor(exclusiveMinimum) + 1 : 0;
    case 'boolean':
      return false;
    case 'array':
      return listExample(schema, depth);
    case 'object':
      return depth >= MAX_DEPTH ? {} : membersExample(schema, depth);
    case 'null':
      return null;
    default:
      return textExample(schema);
  }
}

function membersExample(schema: JsonObject, depth: number): JsonObject {
  const fields = formFields(schema, {}).filter(({ required }) => depth === 0 || required);
  return Object.fromEntries(
    fields.flatMap(({ key, required, schema: member }): [string, JsonValue][] => {
      const isLeft = !required && isSecretSchema(member);
      return key === undefined || isLeft ? [] : [[key, exampleOf(member, depth + 1)]];
    }),
  );
}

function listExample({ items, minItems }: JsonObject, depth: number): JsonValue {
  const count = typeof minItems === 'number' ? Math.min(minItems, 3) : 0;
  return Array.from({ length: count }, () => (isJsonObject(items) ? exampleOf(items, depth + 1) : ANY_TEXT));
}

/** Stands for a string in an example. */
const ANY_TEXT = '...';

const FORMATS: Readonly<Record<string, string>> = {
  email: 'ann@example.com',
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00',
  uri: 'https://example.com',
};

function textExample({ format, minLength }: JsonObject): string {
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
  const least = typeof minLength === 'number' ? Math.min(minLength, 40) : 0;
  return known ?? ANY_TEXT.padEnd(least, '.');
}

/** Whether a list of fields adds nothing to the form of this schema. */
export function isShownByForm(fields: JsonValue, schema: JsonObject): boolean {
  const named = schema['properties'];
  if (!isJsonArray(fields) || !isJsonObject(named)) return false;
  return fields.every((field) => {
    const { name, label, type: _type, optional: _optional, choices, ...rest } = membersOf(field);
    const shown = typeof name === 'string' && Object.hasOwn(named, name) ? named[name] : undefined;
    if (!isJsonObject(shown) || Object.keys(rest).length > 0) return false;
    const { title = name ?? null, enum: listed = null } = shown;
    return jsonEquals(title, label ?? name ?? null) && jsonEquals(listed, choices ?? null);
  });
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value !== 'object' || value === null || !isJsonArray(value)) return [];
  return value.filter((item) => typeof item === 'string');
}

/** Returns the types that a schema allows; empty if it does not specify any. */
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

/** Returns a schema's listed values as typed; empty if it lists none. */
export function listedValues(schema: JsonObject): readonly string[] {
  return schemaChoices(schema).map(({ label }) => label);
}
