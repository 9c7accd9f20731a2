import type { EditForm, JsonObject, JsonValue } from '../../core/index.js';
import { bareText, columnsOf, escapeText, isJsonObject, isSecretSchema } from '../../core/index.js';
import type { FormField } from '../../human/index.js';
import {
  choiceName,
  editFields,
  formFields,
  kindWords,
  labelOf,
  openEdit,
  readField,
  schemaChoices,
  shownChoice,
  typesOf,
  withField,
} from '../../human/index.js';
import type { Html } from './html.js';
import { flag, html, textArea } from './html.js';

const YES_NO = [
  { choice: 'true', words: 'yes' },
  { choice: 'false', words: 'no' },
];
/**
 * Matches characters that are not displayed as they are, because users could not see what they are sending.
 */
const UNSHOWN = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Widest text that a one-line field shows completely on a phone, in columns. */
const LINE = 22;

/** Form fields for a value: those in its schema, and one for each additional property. */
export interface Fields {
  /** Prefix of the input names. */
  readonly name: string;
  readonly schema: JsonObject;
  /** Current value. */
  readonly value: JsonValue;
  /** The fields to show. Default: all. */
  readonly asked?: readonly FormField[];
}

function askedOf({ schema, value, asked }: Fields): readonly FormField[] {
  return asked ?? formFields(schema, value);
}

/**
 * Returns the inputs of a form with labels and a description of accepted values. `given` contains the values
 * submitted before. Untrusted text appears only inside the border.
 */
export function fieldInputs(fields: Fields, given?: URLSearchParams): Html {
  const inputs = askedOf(fields).map((field) => inputOf(fields, field, given));
  return html`<div class="asked-for">${inputs}</div>`;
}

type ReadFields =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly why: string };

/** The input of a call, and the way it is edited. */
export interface EditedInput {
  readonly schema: JsonObject;
  readonly value: JsonValue;
  /** The part to edit first. Default: derived from the schema. */
  readonly editing?: EditForm | undefined;
}

/**
 * Returns the inputs of an edit form. As on a terminal, a command is shown as a line and a file as its text.
 * The rest is folded below.
 */
export function editInputs({ schema, value, editing }: EditedInput, given?: URLSearchParams): Html {
  const { main, others } = editFields(schema, value, editing);
  if (main === undefined) return fieldInputs({ name: EDIT, schema, value, asked: others }, given);
  const { open } = openEdit(value, main.field, editing);
  const shared = { name: EDIT, schema, value: open };
  const names = others.map(labelOf).join(', ');
  return html`${fieldInputs({ ...shared, asked: [{ ...main.field, required: true }] }, given)}${
    others.length > 0 &&
    html`<details ${flag('open', given !== undefined)}>
      <summary>${names}</summary>
      ${fieldInputs({ ...shared, asked: others }, given)}
    </details>`
  }`;
}

/** Returns the call input entered in an edit form, or the problem with it. */
export function readEdit({ schema, value, editing }: EditedInput, given: URLSearchParams): ReadFields {
  const { main, others } = editFields(schema, value, editing);
  if (main === undefined) return readFields({ name: EDIT, schema, value, asked: others }, given);
  const { open, close } = openEdit(value, main.field, editing);
  const read = readFields({ name: EDIT, schema, value: open, asked: [main.field, ...others] }, given);
  return read.ok ? { ok: true, value: close(read.value) } : read;
}

/** Prefix of the input names in an edit form. */
const EDIT = 'input';

/** Returns the value entered in a form, or the problem with it. */
export function readFields(fields: Fields, given: URLSearchParams): ReadFields {
  const { name, value } = fields;
  let read = value;
  for (const field of askedOf(fields)) {
    const current = currentOf(value, field);
    const sent = given.get(nameOf(name, field));
    if (sent === null && current !== undefined) continue;
    const text = plain(sent ?? '');
    // What was not touched stays what it is, to the byte.
    if (current !== undefined && text === plain(bareText(current))) continue;
    const reading = readField(field, text, current);
    if (reading.type === 'unreadable') return { ok: false, why: `${labelOf(field)}: ${reading.why}` };
    read = withField(read, field, reading);
  }
  return { ok: true, value: read };
}

/** Normalizes the line endings that browsers send. */
export function plain(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function inputOf({ name, value }: Fields, field: FormField, given: URLSearchParams | undefined): Html {
  const key = nameOf(name, field);
  const current = currentOf(value, field) ?? field.schema['default'];
  const sent = given?.get(key);
  const text = sent ?? (current === undefined ? '' : bareText(current));
  const words = kindWords(field);
  const described = field.schema['description'];
  const about =
    typeof described === 'string' ? html` <span class="dim">${escapeText(described)}</span>` : undefined;
  const label = html`${labelOf(field)}${words !== '' && html` <span class="dim">(${words})</span>`}${about}`;
  const listed = schemaChoices(field.schema);
  const isYesNo = listed.length === 0 && typesOf(field.schema).join() === 'boolean';
  const choices = isYesNo
    ? YES_NO
    : listed.map((one) => ({ choice: one.label, words: choiceName(shownChoice(one)) }));
  if (choices.length > 0) {
    const picks = choices.map(
      ({ choice, words }) =>
        html`<label class="pick"
          ><input
            type="radio"
            name="${key}"
            value="${choice}"
            ${flag('checked', choice === text)}${flag('required', field.required)}
          /><span>${words}</span></label
        >`,
    );
    return html`<fieldset>
      <legend>${label}</legend>
      ${picks}
    </fieldset>`;
  }
  if (isSecretSchema(field.schema))
    return html`<label for="${key}">${label}</label
      ><input id="${key}" name="${key}" type="password" autocomplete="off" />`;
  if (UNSHOWN.test(text))
    return html`<p>${label}: <code>${escapeText(text)}</code></p>
      <p class="dim">Contains hidden characters, so it can’t be edited here. Use a terminal.</p>`;
  const isLong =
    columnsOf(text) > LINE || text.includes('\n') || (typeof current === 'object' && current !== null);
  const box = isLong
    ? textArea(html`id="${key}" name="${key}" rows="${rowsFor(text)}" spellcheck="false"`, text)
    : html`<input id="${key}" name="${key}" type="text" value="${text}" autocomplete="off" />`;
  return html`<label for="${key}">${label}</label>${box}`;
}

/**
 * Returns the number of rows needed to show a text in full even on a phone, because the original value must
 * be visible.
 */
export function rowsFor(text: string): number {
  const rows = text
    .split('\n')
    .reduce((sum, line) => sum + Math.max(1, Math.ceil(columnsOf(line) / LINE)), 0);
  return Math.max(2, rows);
}

function nameOf(name: string, { key }: FormField): string {
  return key === undefined ? name : `${name}.${key}`;
}

/**
 * Returns the current value of a field. Only own properties are read, because an input may have a key such as
 * `constructor`.
 */
function currentOf(value: JsonValue, { key }: FormField): JsonValue | undefined {
  if (key === undefined) return value;
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
