import type { EditForm, Interrupt, JsonObject, JsonValue } from '../../core/index.js';
import {
  commandWords,
  escapeText,
  isJsonArray,
  isJsonObject,
  isSecretSchema,
  jsonEquals,
  membersOf,
  ownOf,
  plainLine,
  quotedWord,
  shownJson,
} from '../../core/index.js';
import type { Choice } from './listed-choices.js';
import { areNumbered, choiceName, memberChoices, schemaChoices, shownChoice } from './listed-choices.js';
import { shownKey } from '../values/value-rows.js';

export interface FormField {
  /** Property that the field sets. Absent if the value is not an object and this is its only field. */
  readonly key?: string;
  readonly schema: JsonObject;
  readonly required: boolean;
  /** Label shown to the user instead of the schema's title or key. */
  readonly label?: string;
}

/** Maximum width of a field's listed choices, in columns. */
const WORDS_COLUMNS = 60;
/** Maximum nesting depth of an example. Objects below it stay empty. */
const MAX_DEPTH = 5;

/**
 * Returns the form fields of a schema: its properties, followed by the value's properties that the schema
 * does not define.
 */
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

/** The fields of a call in the order in which they are edited: the main field, then the others. */
export interface EditFields {
  readonly main?: { readonly field: FormField; readonly as: 'line' | 'text' };
  readonly others: readonly FormField[];
}
/**
 * Returns the fields of an input to edit. The main field is the one that the tool specifies. Otherwise, it is
 * the only field or the only required field, provided that this field is plain text.
 */
export function editFields(schema: JsonObject, value: JsonValue, editing?: EditForm): EditFields {
  const { words, labels = {} } = editing ?? {};
  const fields = formFields(schema, value)
    .filter(({ key }) => key === undefined || key !== words)
    .map((field): FormField => {
      const label = field.key === undefined ? undefined : ownOf(labels, field.key);
      return { ...field, ...(label !== undefined && { label }) };
    });
  const main = fields.find(({ key }) => editing !== undefined && key === editing.field) ?? onlyText(fields);
  if (main === undefined) return { others: fields };
  const now = main.key === undefined ? value : ownOf(membersOf(value), main.key);
  const isLong = typeof now === 'string' && now.includes('\n');
  const as = editing?.as ?? (isLong && editing === undefined ? 'text' : 'line');
  return { main: { field: main, as }, others: fields.filter((field) => field !== main) };
}

/** Returns the text of the main field. A command is one line, even if the call passes its words as a list. */
export function textOf(value: JsonValue, { key }: FormField, { words }: Partial<EditForm> = {}): string {
  if (key === undefined) return typeof value === 'string' ? value : '';
  const members = membersOf(value);
  const text = ownOf(members, key);
  if (typeof text === 'string') return text;
  const list = words === undefined ? undefined : ownOf(members, words);
  return list !== undefined && isJsonArray(list)
    ? list.map((word) => quotedWord(typeof word === 'string' ? word : JSON.stringify(word))).join(' ')
    : '';
}

/**
 * Returns the value with new text in the main field. Words that were passed as a list remain a list if the
 * text is a simple command.
 */
export function withText(
  value: JsonValue,
  text: string,
  { key }: FormField,
  { words }: Partial<EditForm> = {},
): JsonValue {
  if (key === undefined) return text;
  const members = membersOf(value);
  if (words === undefined || ownOf(members, words) === undefined) return { ...members, [key]: text };
  const { [words]: _words, [key]: _text, ...rest } = members;
  const plain = commandWords({ command: text }).words;
  return plain === undefined ? { ...rest, [key]: text } : { ...rest, [words]: plain };
}

/**
 * An input that is being edited. Its main text always has a property of its own, even if the call passes it
 * as a list of words.
 */
export interface OpenEdit {
  readonly open: JsonValue;
  /** Converts the edited value back to an input. */
  readonly close: (edited: JsonValue) => JsonValue;
}

export function openEdit(value: JsonValue, field: FormField, editing?: EditForm): OpenEdit {
  const { key } = field;
  const before = textOf(value, field, editing);
  if (key === undefined)
    return { open: before, close: (edited) => (typeof edited === 'string' ? edited : '') };
  const close = (edited: JsonValue): JsonValue => {
    const { [key]: after = '', ...rest } = membersOf(edited);
    const was = ownOf(membersOf(value), key);
    const same = { ...rest, ...(was !== undefined && { [key]: was }) };
    const text = typeof after === 'string' ? after : '';
    return text === before ? same : withText(same, text, field, editing);
  };
  return { open: { ...membersOf(value), [key]: before }, close };
}

function onlyText(fields: readonly FormField[]): FormField | undefined {
  const needed = fields.length === 1 ? fields : fields.filter(({ required }) => required);
  const [first] = needed;
  if (first === undefined || needed.length > 1 || isSecretSchema(first.schema)) return undefined;
  const types = typesOf(first.schema);
  const isText = types.length === 1 && types[0] === 'string' && schemaChoices(first.schema).length === 0;
  return isText ? first : undefined;
}

/**
 * Returns the answer schema of a question that is answered with a form, or `undefined` for any other
 * question.
 */
export function formOf({ kind, answerSchema }: Interrupt): JsonObject | undefined {
  if (kind !== 'question' || answerSchema === undefined) return undefined;
  const types = typesOf(answerSchema);
  const properties = answerSchema['properties'];
  const isForm = types.length === 1 && types[0] === 'object' && isJsonObject(properties);
  return isForm && Object.keys(properties).length > 0 ? answerSchema : undefined;
}

/**
 * Returns the schema of the value that an approval passes to the asking tool. Returns `undefined` if a plain
 * yes is enough.
 */
export function passedOn({ resumeSchema, allowed }: Interrupt): JsonObject | undefined {
  if (resumeSchema === undefined || !allowed.includes('restart')) return undefined;
  const types = typesOf(resumeSchema);
  return types.length === 0 || types.includes('boolean') ? undefined : resumeSchema;
}

/**
 * Returns a field's name, safe for a terminal. The name is its label, its title (followed by the key if that
 * differs), or its key.
 */
export function labelOf({ key, schema, label }: FormField): string {
  if (label !== undefined) return escapeText(label);
  const { title } = schema;
  const name = key === undefined ? undefined : shownKey(key);
  if (typeof title !== 'string' || title.trim() === '') return name ?? 'value';
  return name === undefined || lettersOf(title) === lettersOf(key)
    ? escapeText(title)
    : `${escapeText(title)} [${name}]`;
}

/** Returns the letters and digits of a name, so that `Due date?` and `due_date` are treated as equal. */
function lettersOf(text = ''): string {
  return text.replaceAll(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/**
 * Describes the values that a field accepts: `a number, at least 1`. Empty if it accepts any text.
 * @param hasNumbers whether the user can type the numbers of choices
 */
export function kindWords({ schema, required, label }: FormField, hasNumbers = true): string {
  const listed = schemaChoices(schema);
  const members = memberChoices(schema);
  const kinds = typesOf(schema).filter((type) => type !== 'null');
  const what =
    listed.length > 0
      ? [`one of ${listWords(listed, hasNumbers)}`]
      : members.length > 0
        ? [`comma-separated: ${listWords(members, hasNumbers)}`]
        : isSecretSchema(schema)
          ? ['secret']
          : kinds.length === 0 || kinds.includes('string')
            ? []
            : [kinds.map((kind) => KINDS[kind] ?? kind).join(' or ')];
  const isOptional = !required && label === undefined;
  return [...what, ...boundWords(schema), ...(isOptional ? ['optional'] : [])].join(', ');
}

/**
 * Lists choices on one line. If the user can type the numbers of the choices, includes them. A long list is
 * cut off, unless the recorded answers differ from the labels.
 */
function listWords(choices: readonly Choice[], hasNumbers: boolean): string {
  const shown = choices.map(shownChoice);
  const isAsSaid = shown.every(({ answers }) => answers === undefined);
  const isNumbered = hasNumbers && areNumbered(choices);
  const listed = (names: readonly string[]): string =>
    names.map((name, index) => (isNumbered ? `${index + 1} ${name}` : name)).join(', ');
  return isAsSaid
    ? plainLine(listed(choices.map(({ label }) => label)), WORDS_COLUMNS)
    : listed(shown.map(choiceName));
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

/** Lists the fields with their accepted values, safe for a terminal. */
export function formLines(schema: JsonObject): readonly string[] {
  return formFields(schema, {}).map((field) => {
    const words = kindWords(field, false);
    return `${labelOf(field)}${words === '' ? '' : ` (${words})`}`;
  });
}

/** Returns an example answer for a schema, as one line of JSON that contains every required field. */
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

/** Placeholder for a string in an example. */
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

/** Whether the form for this schema already shows everything in a list of fields. */
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

/** Returns the types that a schema allows. Empty if the schema does not specify any. */
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

/**
 * Returns the labels of a schema's listed values, as the user types them. Empty if the schema does not list
 * any.
 */
export function listedValues(schema: JsonObject): readonly string[] {
  return schemaChoices(schema).map(({ label }) => label);
}
