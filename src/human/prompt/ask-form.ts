import type { JsonObject, JsonValue } from '../../core/index.js';
import { columnsOf, escapeText, isJsonObject, plainLine, wrapShown, wrapWords } from '../../core/index.js';
import { checkSchema } from '../answer/index.js';
import type { FormField } from './json-fields.js';
import { fieldText, formFields, listedValues, readField, typesOf, withField } from './json-fields.js';
import { shownKey } from '../values/index.js';
import { askText } from './ask-text.js';
import type { TerminalTheme } from '../device/index.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, saying } from './prompter.js';

/** Columns of a label in a form. */
const LABEL_COLUMNS = 24;
/** Before every row of a form: a label is text from outside, and stands at no edge (G31). */
const INDENT = '  ';

/** The member of an own property only: an input may have a key like `constructor`. */
function currentOf(value: JsonValue, field: FormField): JsonValue | undefined {
  if (field.key === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, field.key) ? value[field.key] : undefined;
}

function hintOf(field: FormField): string {
  const { schema, required } = field;
  const listed = listedValues(schema);
  const types = typesOf(schema);
  const kind = listed.length > 0 ? `one of ${listed.map(escapeText).join(', ')}` : types.join(' or ');
  const description = schema['description'];
  const parts = [
    ...(kind === '' ? [] : [kind]),
    required ? 'required' : 'may be empty',
    ...(typeof description === 'string' ? [`“${escapeText(description)}”`] : []),
  ];
  return `${parts.join(' · ')} · Enter goes on, Esc back`;
}

function problemOf(field: FormField, text: string, current: JsonValue | undefined): string | undefined {
  const reading = readField(field, text, current);
  if (reading.type === 'unreadable') return reading.why;
  if (reading.type === 'absent') return undefined;
  const [first] = checkSchema(reading.value, field.schema);
  return first === undefined ? undefined : escapeText(first);
}

/** What a field asks, in the words of its question. */
function labelOf({ key, schema }: FormField): string {
  const { title } = schema;
  if (typeof title === 'string' && title !== '') return escapeText(title);
  return key === undefined ? 'value' : shownKey(key);
}

/** What stands before a field: its label, where that is short. */
function nameOf(field: FormField): string {
  const label = labelOf(field);
  return columnsOf(label) <= LABEL_COLUMNS ? label : `${wrapShown(label, LABEL_COLUMNS - 1)[0] ?? ''}…`;
}

/** A label that is too long to stand before its field stands above it, whole. */
function longLabel(field: FormField, columns: number): readonly string[] {
  const label = labelOf(field);
  return columnsOf(label) <= LABEL_COLUMNS
    ? []
    : wrapWords(label, columns - 1 - INDENT.length).map((row) => `${INDENT}${row.trimEnd()}`);
}

async function askField(
  prompter: Prompter,
  field: FormField,
  value: JsonValue,
  width: number,
): Promise<Asked<JsonValue>> {
  const current = currentOf(value, field) ?? field.schema['default'];
  const name = nameOf(field);
  const asked = await askText(prompter, {
    prompt: `${INDENT}${name}:${' '.repeat(Math.max(1, width - columnsOf(name)))}`,
    initial: current === undefined ? '' : fieldText(current),
    hint: hintOf(field),
    // Enter only goes on to the next field: what the form comes to is confirmed with a key of its own.
    guard: 'none',
    secret: field.schema['format'] === 'password',
    complete: (text) => listedValues(field.schema).filter((listed) => listed.startsWith(text)),
    check: (text) => problemOf(field, text, current),
  });
  if (asked.type === 'back') return asked;
  return answered(withField(value, field, readField(field, asked.value, current)));
}

function labelWidth(fields: readonly FormField[]): number {
  return Math.min(LABEL_COLUMNS, Math.max(0, ...fields.map((field) => columnsOf(nameOf(field))))) + 1;
}

function rowsOfFields(
  fields: readonly FormField[],
  value: JsonValue,
  { width, columns }: { readonly width: number; readonly columns: number },
): readonly string[] {
  return fields.map((field) => {
    const current = currentOf(value, field);
    const name = nameOf(field);
    const label = `${INDENT}${name}:${' '.repeat(Math.max(1, width - columnsOf(name)))}`;
    const isSecret = field.schema['format'] === 'password';
    const text = current === undefined ? '' : isSecret ? '••••••' : fieldText(current);
    return label + plainLine(text, Math.max(8, columns - 1 - columnsOf(label)));
  });
}

/** What was given in a form, a row each; a secret as dots. */
export function givenRows(schema: JsonObject, value: JsonValue, columns: number): readonly string[] {
  const fields = formFields(schema, value);
  return rowsOfFields(fields, value, { width: labelWidth(fields), columns });
}

/** What is wrong with a value, safe for a terminal already. */
export function problemRows(
  problems: readonly string[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return problems.flatMap((problem) => wrapWords(`does not fit: ${problem}`, columns - 1).map(theme.error));
}

/**
 * Asks for the fields of a schema one after the other, filled with what the value holds; Esc goes to the field before.
 * The answer fits each field's schema; whether it fits as a whole is for the caller to check.
 */
export async function askForm(
  prompter: Prompter,
  schema: JsonObject,
  value: JsonValue,
): Promise<Asked<JsonValue>> {
  const fields = formFields(schema, value);
  const width = labelWidth(fields);
  let now = value;
  let index = 0;
  for (let field = fields[0]; field !== undefined; field = fields[index]) {
    const before = fields.slice(0, index);
    const given = now;
    const current = field;
    const asked = await askField(
      saying(prompter, ({ columns }) => [
        ...rowsOfFields(before, given, { width, columns }),
        ...longLabel(current, columns),
      ]),
      field,
      now,
      width,
    );
    if (asked.type === 'answered') {
      now = asked.value;
      index += 1;
    } else if (index === 0) return BACK;
    else index -= 1;
  }
  return answered(now);
}
