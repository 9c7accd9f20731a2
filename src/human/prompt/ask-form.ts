// Invariants:
// F1 Each field is asked for by its label, with what was given before it above and what comes after it below.
// F2 Enter goes on and ↑ goes back; neither sends anything. A secret is dots wherever it stands.
// F3 Titles, descriptions, choices and values at first are words of whoever asks: a bar of ours stands before every row.
import type { JsonObject, JsonValue } from '../../core/index.js';
import {
  bareText,
  columnsOf,
  escapeText,
  isJsonArray,
  isJsonObject,
  isSecretSchema,
  plainLine,
  wrapWords,
} from '../../core/index.js';
import { checkSchema } from '../answer/check-schema.js';
import { enterWords, readField, withField } from '../answer/json-fields.js';
import type { FormField } from '../question/form-fields.js';
import { formFields, kindWords, labelOf, listedValues } from '../question/form-fields.js';
import { memberChoices, schemaChoices } from '../question/listed-choices.js';
import { BLOCK } from '../values/value-rows.js';
import type { AskedLine } from './ask-text.js';
import { askLine } from './ask-text.js';
import type { TerminalTheme } from '../device/theme.js';
import type { Asked, Prompter, View } from './prompter.js';
import { answered, BACK, saying } from './prompter.js';

/** Columns of a label next to its value. */
const LABEL_COLUMNS = 36;
/** Number of following fields that are shown. */
const AFTER_ROWS = 4;
const MARK = '▸ ';
const INDENT = '  ';
const SECRET = '••••••';

/** Returns own properties only: an input may have a key like `constructor`. */
function currentOf(value: JsonValue, field: FormField): JsonValue | undefined {
  if (field.key === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, field.key) ? value[field.key] : undefined;
}

function isSecret({ schema }: FormField): boolean {
  return isSecretSchema(schema);
}

/** Returns why a text is invalid for a field, safe for a terminal; `undefined` if it is valid. */
export function fieldProblem(
  field: FormField,
  text: string,
  current: JsonValue | undefined,
): string | undefined {
  const reading = readField(field, text, current);
  if (reading.type === 'unreadable') return reading.why;
  if (reading.type === 'absent') return undefined;
  const [first] = checkSchema(reading.value, field.schema);
  if (first === undefined) return undefined;
  return kindWords({ ...field, required: true }) === '' ? escapeText(first) : enterWords(field);
}

/** Returns a label with the accepted values, as shown before the line and in the following fields. */
export function fieldWords(field: FormField): string {
  const words = kindWords(field);
  return `${labelOf(field)}${words === '' ? '' : `  (${words})`}`;
}

/** A position in a form. */
interface Place {
  readonly fields: readonly FormField[];
  readonly index: number;
  readonly value: JsonValue;
  /** Effect of Esc, as the hint names it. */
  readonly esc: string;
}

async function askField(prompter: Prompter, field: FormField, place: Place): Promise<AskedLine> {
  const columns = roomIn(prompter.terminal.columns);
  const current = currentOf(place.value, field) ?? field.schema['default'];
  const words = fieldWords(field);
  const hasRoom = columnsOf(MARK + words) <= columns / 2;
  const described = field.schema['description'];
  const above = framedRows(prompter.theme, (width) => [
    ...givenRows(place.fields.slice(0, place.index), place.value, width),
    ...(hasRoom ? [] : wrapped(`${MARK}${words}`, width)),
    ...(typeof described === 'string' ? wrapped(`${INDENT}${escapeText(described)}`, width) : []),
  ]);
  const { fields, index } = place;
  const number = fields.length > 1 ? `${index + 1} of ${fields.length} · ` : '';
  const keys = `${number}Enter next${index > 0 ? ' · ↑ back' : ''} · Esc ${place.esc}`;
  return askLine(saying(prompter, above), {
    prompt: hasRoom ? `${MARK}${words}  ` : `${INDENT}  `,
    frame: BLOCK,
    initial: current === undefined ? '' : typedText(current, field),
    after: [...afterRows(fields.slice(index + 1), place.value, columns), ...wrapped(keys, columns)],
    // Enter only goes on to the next field: what the form comes to is confirmed with a key of its own.
    guard: 'none',
    goesUp: index > 0,
    secret: isSecret(field),
    complete: (text) => listedValues(field.schema).filter((listed) => listed.startsWith(text)),
    check: (text) => fieldProblem(field, text, current),
  });
}

/** The columns that the bar before a row of a form leaves (F3). */
function roomIn(columns: number): number {
  return columns - BLOCK.length;
}

/** Draws a form's rows after its bar, for any width (F3). */
export function framedRows(theme: TerminalTheme, rows: (columns: number) => readonly string[]): View {
  return ({ columns }) => rows(roomIn(columns)).map((row) => `${theme.dim(BLOCK)}${row}`);
}

/** Wraps at words; continued rows are indented. */
function wrapped(text: string, columns: number): readonly string[] {
  return wrapWords(text, columns - 1, INDENT).map((row) => row.trimEnd());
}

/** A value as one types it in a field. */
function typedText(value: JsonValue, { schema }: FormField): string {
  const chosen = schemaChoices(schema).find((choice) => choice.value === value);
  if (chosen !== undefined && typeof value === 'string') return chosen.label;
  const choices = memberChoices(schema);
  const members = typeof value === 'object' && value !== null && isJsonArray(value) ? value : [];
  const named = members.flatMap((member) => choices.filter((choice) => choice.value === member));
  if (members.length > 0 && named.length === members.length)
    return named.map(({ label }) => label).join(', ');
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : bareText(value);
}

/** Returns the following fields: their current values, else the accepted ones. */
function afterRows(fields: readonly FormField[], value: JsonValue, columns: number): readonly string[] {
  const rows = fields.slice(0, AFTER_ROWS).flatMap((field) => {
    const isGiven = currentOf(value, field) !== undefined;
    return isGiven ? givenRows([field], value, columns).slice(0, 1) : comingRows(field, columns);
  });
  const more = fields.length - rows.length;
  return more > 0 ? [...rows, `${INDENT}${more} more`] : rows;
}

/** Returns one following field; without room, the accepted values appear only at its own prompt. */
function comingRows(field: FormField, columns: number): readonly string[] {
  const words = `${INDENT}${fieldWords(field)}`;
  if (columnsOf(words) < columns) return [words];
  const [row = '', more] = wrapWords(`${INDENT}${labelOf(field)}`, columns - 2, INDENT);
  return [more === undefined ? row : `${row.trimEnd()} …`];
}

function givenRows(fields: readonly FormField[], value: JsonValue, columns: number): readonly string[] {
  const most = Math.min(LABEL_COLUMNS, Math.floor(columns / 2));
  const width = Math.min(most, Math.max(0, ...fields.map((field) => columnsOf(labelOf(field))))) + 2;
  return fields.flatMap((field) => {
    const current = currentOf(value, field);
    const label = labelOf(field);
    const text = current === undefined ? '—' : isSecret(field) ? SECRET : typedText(current, field);
    const room = Math.max(8, columns - 1 - INDENT.length - width);
    const shown = plainLine(text, room);
    if (columnsOf(label) + 2 > width)
      return [...wrapWords(INDENT + label, columns - 1, INDENT), `${INDENT}${' '.repeat(width)}${shown}`];
    return [`${INDENT}${label}${' '.repeat(width - columnsOf(label))}${shown}`];
  });
}

/** Lists a form's values, one row each; a secret as dots. */
export function givenForm(schema: JsonObject, value: JsonValue, columns: number): readonly string[] {
  return givenRows(formFields(schema, value), value, columns);
}

/** Formats the problems of a value, which are already safe for a terminal. */
export function problemRows(
  problems: readonly string[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return problems.flatMap((problem) => wrapWords(`Invalid: ${problem}`, columns - 1).map(theme.error));
}

/**
 * Asks for a schema's fields one by one, filled with the value's properties (F1, F2); Esc leaves. Each field
 * is valid; the caller checks the whole value.
 * @param esc effect of Esc, for the hint. Default: the question is answered later.
 */
export async function askForm(
  prompter: Prompter,
  schema: JsonObject,
  value: JsonValue,
  esc?: string,
): Promise<Asked<JsonValue>> {
  const fields = formFields(schema, value);
  const effect = esc ?? (fields.length > 1 ? 'answer later' : 'back');
  let now = value;
  let index = 0;
  for (let field = fields[0]; field !== undefined; field = fields[index]) {
    const asked = await askField(prompter, field, { fields, index, value: now, esc: effect });
    if (asked.type === 'back') return BACK;
    const text = asked.type === 'answered' ? asked.value : asked.text;
    const current = currentOf(now, field) ?? field.schema['default'];
    // What is left upwards is kept where it fits.
    if (asked.type === 'answered' || fieldProblem(field, text, current) === undefined)
      now = withField(now, field, readField(field, text, current));
    index += asked.type === 'answered' ? 1 : -1;
  }
  return answered(now);
}
