import type { JsonObject, JsonValue } from '../../core/index.js';
import { bareText, membersOf } from '../../core/index.js';
import { yesOrNo } from './answer-value.js';
import { parseStrictJson } from './strict-json.js';
import type { FormField } from '../question/form-fields.js';
import { kindWords, typesOf } from '../question/form-fields.js';
import { memberChoices, schemaChoices } from '../question/listed-choices.js';

/** The meaning of a field's text: a value, no value at all, or why it cannot be read. */
export type FieldReading =
  | { readonly type: 'value'; readonly value: JsonValue }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly why: string };

/** True where a field's text is taken as it is, without quotes. */
function isText(schema: JsonObject, current: JsonValue | undefined): boolean {
  const types = typesOf(schema);
  if (types.length > 0) return types.every((type) => type === 'string' || type === 'null');
  return typeof current === 'string';
}

const EMPTY = 'Required. Enter "" for an empty string.';

/** Tells the user what to enter: `Enter a JSON array, for example ["a", "b"]`. */
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
  const listed = schemaChoices(schema);
  const typed = text.trim();
  const chosen = listed.find(({ label, value }) => label === typed || bareText(value) === typed);
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

/** The list that is typed as `Guitar, Piano`; `undefined` where it is no such list, or one of them is none. */
function membersNamed(schema: JsonObject, typed: string): readonly JsonValue[] | undefined {
  const choices = memberChoices(schema);
  if (choices.length === 0 || typed.startsWith('[')) return undefined;
  const named = typed.split(',').map((word) => word.trim());
  const values = named.flatMap((word) => {
    const chosen = choices.find(({ label, value }) => label === word || value === word);
    return chosen === undefined ? [] : [chosen.value];
  });
  return values.length === named.length ? values : undefined;
}

/** The value of a form: the first value with what its fields say now. */
export function withField(value: JsonValue, field: FormField, reading: FieldReading): JsonValue {
  if (field.key === undefined) return reading.type === 'value' ? reading.value : value;
  const members = membersOf(value);
  if (reading.type === 'value') return { ...members, [field.key]: reading.value };
  return Object.fromEntries(Object.entries(members).filter(([key]) => key !== field.key));
}
