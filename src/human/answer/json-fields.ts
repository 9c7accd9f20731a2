import type { JsonObject, JsonValue } from '../../core/index.js';
import { bareText, membersOf } from '../../core/index.js';
import { yesOrNo } from './answer-value.js';
import { parseStrictJson } from './strict-json.js';
import type { FormField } from '../question/form-fields.js';
import { kindWords, typesOf } from '../question/form-fields.js';
import { memberChoices, numberedChoice, schemaChoices } from '../question/listed-choices.js';

/** The result of reading a field: a value, no value, or the reason that the text cannot be read. */
export type FieldReading =
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly why: string };

/** Whether a field accepts unquoted text. */
function isText(schema: JsonObject, current: JsonValue | undefined): boolean {
  const types = typesOf(schema);
  if (types.length > 0) return types.every((type) => type === 'string' || type === 'null');
  return typeof current === 'string';
}

/** Returns the message for a field that must not be empty. */
function emptyWords(field: FormField): string {
  const types = typesOf(field.schema);
  const isListed = schemaChoices(field.schema).length > 0;
  const takesText = !isListed && (types.length === 0 || types.includes('string'));
  return takesText ? 'Required. Enter "" for an empty string.' : `Required. ${enterWords(field)}`;
}

/** Returns a hint on what to enter: `Enter a JSON array, for example ["a", "b"]`. */
export function enterWords(field: FormField): string {
  const kind = kindWords({ ...field, required: true });
  if (kind.startsWith('JSON array')) return `Enter a ${kind}, for example ["a", "b"]`;
  return kind.startsWith('JSON object') ? `Enter a ${kind}, for example {"a": 1}` : `Enter ${kind}`;
}

function unreadable(field: FormField, types: readonly string[], message: string): string {
  const isNested =
    types.includes('object') || (types.includes('array') && memberChoices(field.schema).length === 0);
  return `${enterWords(field)}${isNested ? `; ${message}` : ''}`;
}

/**
 * Reads a field. A text field is read as typed; any other field is read as JSON. An empty optional field has
 * no value; `""` is the empty string.
 */
export function readField(field: FormField, text: string, current: JsonValue | undefined): FieldReading {
  const { schema, required } = field;
  const types = typesOf(schema);
  if (text === '') {
    const isKept = isText(schema, current) && current === '';
    if (isKept) return { type: 'value', value: '' };
    return required ? { type: 'unreadable', why: emptyWords(field) } : { type: 'absent' };
  }
  const listed = schemaChoices(schema);
  const typed = text.trim();
  const named = listed.find(({ label, value }) => label === typed || bareText(value) === typed);
  const chosen = named ?? numberedChoice(listed, typed);
  if (chosen !== undefined) return { type: 'value', value: chosen.value };
  if (text === 'null' && types.includes('null')) return { type: 'value', value: null };
  if (isText(schema, current)) return { type: 'value', value: text === '""' ? '' : text };
  const takesFlag = types.includes('boolean') || listed.some(({ value }) => typeof value === 'boolean');
  const flag = takesFlag ? yesOrNo(text) : undefined;
  if (flag !== undefined) return { type: 'value', value: flag };
  const members = membersNamed(schema, typed);
  if (members !== undefined) return { type: 'value', value: members };
  const parsed = parseStrictJson(text.trim());
  if (parsed.ok) return { type: 'value', value: parsed.value };
  if (types.length === 0 || types.includes('string')) return { type: 'value', value: text };
  return { type: 'unreadable', why: unreadable(field, types, parsed.message) };
}

/** Reads a list typed as `Guitar, Piano`; `undefined` if an item is not one of the choices. */
function membersNamed(schema: JsonObject, typed: string): readonly JsonValue[] | undefined {
  const choices = memberChoices(schema);
  if (choices.length === 0 || typed.startsWith('[')) return undefined;
  const named = typed.split(',').map((word) => word.trim());
  const values = named.flatMap((word) => {
    const chosen =
      choices.find(({ label, value }) => label === word || value === word) ?? numberedChoice(choices, word);
    return chosen === undefined ? [] : [chosen.value];
  });
  return values.length === named.length ? values : undefined;
}

/** Returns a form's value after one of its fields has been read. */
export function withField(value: JsonValue, field: FormField, reading: FieldReading): JsonValue {
  if (field.key === undefined) return reading.type === 'value' ? reading.value : value;
  const members = membersOf(value);
  if (reading.type === 'value') return { ...members, [field.key]: reading.value };
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== field.key));
}
