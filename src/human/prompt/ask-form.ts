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
  jsonEquals,
  plainLine,
  wrapWords,
} from '../../core/index.js';
import { checkSchema } from '../answer/check-schema.js';
import { enterWords, readField, withField } from '../answer/json-fields.js';
import type { FormField } from '../question/form-fields.js';
import { formFields, kindWords, labelOf, listedValues, typesOf } from '../question/form-fields.js';
import { memberChoices, schemaChoices } from '../question/listed-choices.js';
import { BLOCK } from '../values/value-rows.js';
import type { AskedLine, FormDraft, FormDrafts } from './ask-text.js';
import { askLine } from './ask-text.js';
import type { TerminalTheme } from '../device/theme.js';
import type { Asked, Prompter, View } from './prompter.js';
import { answered, BACK, saying } from './prompter.js';

/** Maximum width of a label shown on the same row as its value, in columns. */
const LABEL_COLUMNS = 36;
/** Number of following fields to show. */
const AFTER_ROWS = 4;
const MARK = '▸ ';
const INDENT = '  ';
const SECRET = '••••••';

/**
 * Returns the current value of a field. Reads own properties only, because an input may have a key such as
 * `constructor`.
 */
function currentOf(value: JsonValue, field: FormField): JsonValue | undefined {
  if (field.key === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, field.key) ? value[field.key] : undefined;
}

function isSecret({ schema }: FormField): boolean {
  return isSecretSchema(schema);
}

/**
 * Returns the reason that text is invalid for a field, safe for a terminal, or `undefined` if it is valid.
 */
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

/**
 * Returns a field's label with the accepted values, as shown at its own prompt and in the list of following
 * fields.
 */
export function fieldWords(field: FormField): string {
  const words = kindWords(field);
  return `${labelOf(field)}${words === '' ? '' : `  (${words})`}`;
}

/** The current position in a form. */
interface Place {
  readonly fields: readonly FormField[];
  readonly index: number;
  readonly value: JsonValue;
  readonly form: FormOptions;
  /** Text that the field contained when the user last left it. */
  readonly left?: string | undefined;
  /** The form's value before the user typed anything. */
  readonly start: JsonValue;
  /** Another field that still contains invalid text. */
  readonly unfit?: Pick<FormDraft, 'index' | 'text'> | undefined;
}

/**
 * Options for asking for a form's fields. By default, the fields are asked for one after another, and Enter
 * in the last field ends the form.
 */
export interface FormOptions {
  readonly fields?: readonly FormField[];
  /**
   * Text above the first field. If set, Enter in the first field ends the form, and Tab moves to the other
   * fields.
   */
  readonly lead?: string;
  /** Whether the first field accepts several lines. */
  readonly hasLines?: boolean;
  /** Help text for the Enter key that ends the form, such as `shows the change`. */
  readonly ends?: string;
  /** Help text for Esc. Default: `back`. */
  readonly escape?: string;
  /** Whether text is accepted exactly as typed. */
  readonly asIs?: boolean;
  /** Whether a draft reopens at the first field. Default: false, which reopens it where the user left it. */
  readonly reopensFirst?: boolean;
  readonly drafts?: FormDrafts;
}

async function askField(prompter: Prompter, field: FormField, place: Place): Promise<AskedLine> {
  const columns = roomIn(prompter.terminal.columns);
  const { fields, index, form } = place;
  const current = currentOf(place.value, field) ?? field.schema['default'];
  const isLead = form.lead !== undefined && index === 0;
  const words = isLead ? '' : fieldWords(field);
  const hasRoom = columnsOf(MARK + words) <= columns / 2;
  // Beside words for people, those for a model would only be in the way.
  const isNamed = isLead || field.label !== undefined;
  const described = isNamed ? undefined : field.schema['description'];
  const above = framedRows(prompter.theme, (width) => [
    ...(isLead ? wrapped(form.lead, width) : givenRows(fields.slice(0, index), place.value, width)),
    ...(hasRoom ? [] : wrapped(`${MARK}${words}`, width)),
    ...(typeof described === 'string' ? wrapped(`${INDENT}${escapeText(described)}`, width) : []),
  ]);
  const coming = isLead ? [] : afterRows(fields.slice(index + 1), place.value, columns);
  const asIs = form.asIs === true && isText(field, current);
  const shown = current === undefined ? '' : typedText(current, field);
  return askLine(saying(prompter, above), {
    prompt: isLead ? MARK : hasRoom ? `${MARK}${words}  ` : `${INDENT}  `,
    frame: BLOCK,
    initial: place.left ?? shown,
    after: [...coming, ...wrapped(formKeys(place, current), columns)],
    // Enter only goes on to the next field: what the form comes to is confirmed with a key of its own.
    guard: 'none',
    goesUp: index > 0,
    goesOn: fields.length > 1,
    asIs,
    secret: isSecret(field),
    complete: (text) => listedValues(field.schema).filter((listed) => listed.startsWith(text)),
    check: (text) => (asIs ? undefined : fieldProblem(field, text, current)),
    left: (text) => {
      form.drafts?.keep(draftOf(place, text, text !== shown));
    },
  });
}

/**
 * Returns the draft of a form when the user leaves the form at a field. If the form reopens at its first
 * field, valid text is stored as the value of the field.
 */
function draftOf(place: Place, text: string, isTyped: boolean): FormDraft {
  const { fields, index, form, value, start, unfit } = place;
  const field = fields[index];
  const isChanged = isTyped || unfit !== undefined || !jsonEquals(value, start);
  const kept = withoutSecrets(value, fields);
  if (field === undefined || isSecret(field)) return { value: kept, index, isChanged };
  const taken = form.reopensFirst === true ? withTyped(value, field, { text, form }) : undefined;
  if (taken !== undefined)
    return { value: withoutSecrets(taken, fields), ...(unfit ?? { index: 0 }), isChanged };
  return { value: kept, index, text, isChanged };
}

/** Returns the form's value with the field's typed text applied, or `undefined` if the text is invalid. */
function withTyped(
  value: JsonValue,
  field: FormField,
  { text, form }: { readonly text: string; readonly form: FormOptions },
): JsonValue | undefined {
  const current = currentOf(value, field) ?? field.schema['default'];
  if (form.asIs === true && isText(field, current))
    return withField(value, field, { type: 'value', value: text });
  if (fieldProblem(field, text, current) !== undefined) return undefined;
  return withField(value, field, readField(field, text, current));
}

/** Removes the secrets from a value, so that it can be kept as a draft. */
function withoutSecrets(value: JsonValue, fields: readonly FormField[]): JsonValue {
  return fields.filter(isSecret).reduce((rest, field) => withField(rest, field, { type: 'absent' }), value);
}

/** Adds the form's secrets to a kept draft, because drafts do not contain them. */
function withSecretsOf(value: JsonValue, kept: JsonValue, fields: readonly FormField[]): JsonValue {
  return fields.filter(isSecret).reduce((all, field) => {
    const secret = currentOf(value, field);
    return secret === undefined ? all : withField(all, field, { type: 'value', value: secret });
  }, kept);
}

/** Whether a field's value is its text, without conversion. */
function isText({ schema }: FormField, current: JsonValue | undefined): boolean {
  const types = typesOf(schema);
  const isListed = schemaChoices(schema).length > 0;
  if (isListed || isSecretSchema(schema)) return false;
  return types.length === 1 ? types[0] === 'string' : types.length === 0 && typeof current === 'string';
}

/** Returns the key help below a field. */
function formKeys({ fields, index, form }: Place, current: JsonValue | undefined): string {
  const isLead = form.lead !== undefined && index === 0;
  const isLast = isLead || index === fields.length - 1;
  const ends = isLast ? (form.ends ?? 'next') : 'next';
  const others = fields.slice(1).map(labelOf).join(', ');
  const isLong = isLead ? form.hasLines === true : typeof current === 'string' && current.includes('\n');
  const leaves = form.escape ?? 'back';
  return [
    ...(fields.length > 1 && !isLead ? [`${index + 1} of ${fields.length}`] : []),
    `Enter ${ends}`,
    ...(isLong ? ['Alt-Enter new line'] : []),
    ...(isLead && others !== '' ? [`Tab ${others}`] : []),
    ...(index > 0 ? ['↑ back'] : []),
    `Esc ${leaves}`,
  ].join(' · ');
}

/** Returns the number of columns available after the bar of a form row (F3). */
function roomIn(columns: number): number {
  return columns - BLOCK.length;
}

/** Draws a form's rows with a bar before each row, at any width (F3). */
export function framedRows(theme: TerminalTheme, rows: (columns: number) => readonly string[]): View {
  return ({ columns }) => rows(roomIn(columns)).map((row) => `${theme.dim(BLOCK)}${row}`);
}

/** Wraps at words, indenting continuation rows. */
function wrapped(text: string, columns: number): readonly string[] {
  return wrapWords(text, columns - 1, INDENT).map((row) => row.trimEnd());
}

/** Returns a value as the user would type it in a field. */
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

/** Returns the following fields with their current values, or with the accepted values if unset. */
function afterRows(fields: readonly FormField[], value: JsonValue, columns: number): readonly string[] {
  const rows = fields.slice(0, AFTER_ROWS).flatMap((field) => {
    const isGiven = currentOf(value, field) !== undefined;
    return isGiven ? givenRows([field], value, columns).slice(0, 1) : comingRows(field, columns);
  });
  const more = fields.length - rows.length;
  return more > 0 ? [...rows, `${INDENT}${more} more`] : rows;
}

/**
 * Returns the row of one following field. If there is no room for the accepted values, they are shown only at
 * the field's own prompt.
 */
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

/** Lists a form's values, one row each. Secrets are shown as dots. */
export function givenForm(schema: JsonObject, value: JsonValue, columns: number): readonly string[] {
  return givenRows(formFields(schema, value), value, columns);
}

/** Formats the problems with a value, which are already safe for a terminal. */
export function problemRows(
  problems: readonly string[],
  columns: number,
  theme: TerminalTheme,
): readonly string[] {
  return problems.flatMap((problem) => wrapWords(`Invalid: ${problem}`, columns - 1).map(theme.error));
}

/**
 * Asks for a schema's fields one after another, filled with the current values (F1, F2). Esc leaves the form.
 * If drafts are kept, the form continues from that point the next time. The answer matches each field's
 * schema, but the caller must validate the value as a whole.
 */
export async function askForm(
  prompter: Prompter,
  schema: JsonObject,
  value: JsonValue,
  form: FormOptions = {},
): Promise<Asked<JsonValue>> {
  const fields = form.fields ?? formFields(schema, value);
  const draft = form.drafts?.read();
  let now = draft === undefined ? value : withSecretsOf(value, draft.value, fields);
  let index = Math.min(draft?.index ?? 0, fields.length - 1);
  // Texts that do not fit, of fields that were left for another one.
  const left = new Map<number, string>();
  if (draft?.text !== undefined) left.set(index, draft.text);
  for (let field = fields[index]; field !== undefined; field = fields[index]) {
    const others = [...left].filter(
      ([at]) => at !== index && fields[at] !== undefined && !isSecret(fields[at]),
    );
    const [unfit] = others.map(([at, typed]) => ({ index: at, text: typed }));
    const place: Place = { fields, index, value: now, form, left: left.get(index), start: value, unfit };
    const asked = await askField(prompter, field, place);
    if (asked.type === 'back') return BACK;
    const text = asked.type === 'answered' ? asked.value : asked.text;
    const taken = withTyped(now, field, { text, form });
    if (taken === undefined) left.set(index, text);
    else left.delete(index);
    now = taken ?? now;
    const isLead = form.lead !== undefined && index === 0;
    const [still] = left.keys();
    if (asked.type !== 'answered') index += asked.type === 'went-up' ? -1 : 1;
    else if (!isLead && index + 1 < fields.length) index += 1;
    else if (still === undefined) break;
    else index = still;
    index %= fields.length;
  }
  const isChanged = !jsonEquals(now, value);
  form.drafts?.keep({ value: withoutSecrets(now, fields), index: 0, isChanged });
  return answered(now);
}
