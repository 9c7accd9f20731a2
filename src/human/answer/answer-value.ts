import type { JsonObject, JsonValue } from '../../core/index.js';
import { bareText, escapeText, isJsonObject } from '../../core/index.js';
import { checkSchema, fitsSchema } from './check-schema.js';
import { excerpt } from '../warnings/finding.js';
import type { Choice } from '../question/listed-choices.js';
import type { QuestionContent } from '../question/question-content.js';
import { parseStrictJson } from './strict-json.js';

/**
 * A value read from text, or the reason that it could not be read. `message` is safe to print in a terminal.
 */
export type ReadValue =
  | { readonly ok: true; readonly value: JsonValue }
  | { readonly ok: false; readonly message: string };

const YES_NO: Readonly<Record<string, boolean>> = {
  y: true,
  yes: true,
  true: true,
  n: false,
  no: false,
  false: false,
};

/** Reads yes or no as a boolean; `undefined` for anything else. */
export function yesOrNo(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(YES_NO, word) ? YES_NO[word] : undefined;
}

/**
 * Reads `{json or text}`: valid JSON that matches the schema, or else the text. So that a typo does not
 * become an answer, rejects invalid JSON that starts like an object, list or string, unless the schema
 * expects a string.
 */
export function readJsonOrText(text: string, schema: JsonObject | undefined): ReadValue {
  const json = parseStrictJson(text);
  if (json.ok && fitsSchema(json.value, schema)) return json;
  const looksLikeJson = /^[[{"]/.test(text);
  if (!json.ok && looksLikeJson && schema?.['type'] !== 'string') return json;
  if (fitsSchema(text, schema)) return { ok: true, value: text };
  return misfit(json.ok ? json.value : text, schema);
}

/**
 * Reads an answer typed in response to a question. Checks it against the schema as text, then as yes or no, then as JSON.
 */
export function readTyped(text: string, schema: JsonObject | undefined): ReadValue {
  if (fitsSchema(text, schema)) return { ok: true, value: text };
  const flag = yesOrNo(text);
  if (flag !== undefined && fitsSchema(flag, schema)) return { ok: true, value: flag };
  const json = parseStrictJson(text);
  if (json.ok) return fitsSchema(json.value, schema) ? json : misfit(json.value, schema);
  if (/^[[{"]/.test(text)) return json;
  return misfit(text, schema);
}

/** Creates the rejection of a value that does not match the schema, with the reason. */
function misfit(value: JsonValue, schema: JsonObject | undefined): ReadValue & { readonly ok: false } {
  return { ok: false, message: checkSchema(value, schema).map(escapeText).join('; ') };
}

export function readChoices(
  text: string,
  content: QuestionContent,
  schema: JsonObject | undefined,
): ReadValue {
  const value = content.multiple ? readSeveral(text, content) : readOne(text, content);
  if (!value.ok || fitsSchema(value.value, schema)) return value;
  return misfit(value.value, schema);
}

function readSeveral(text: string, content: QuestionContent): ReadValue {
  const whole = chosen(text.trim(), content.choices);
  if (whole.length === 1) return { ok: true, value: whole.map((choice) => choice.value) };
  const values: JsonValue[] = [];
  for (const part of text.split(',')) {
    const one = readOne(part.trim(), content);
    if (!one.ok) return one;
    values.push(one.value);
  }
  return { ok: true, value: values };
}

function readOne(text: string, { choices, allowOther }: QuestionContent): ReadValue {
  const [first, ...more] = chosen(text, choices);
  if (more.length > 0)
    return {
      ok: false,
      message: `“${excerpt(text)}” matches more than one choice; type its number or its full text`,
    };
  if (first !== undefined) return { ok: true, value: first.value };
  const isNumber = /^\d{1,3}$/u.test(text);
  if (allowOther && isNumber)
    return {
      ok: false,
      message: `“${text}” is not one of the choices; to answer with this number, type \`answer ${text}\``,
    };
  if (allowOther && text !== '') return { ok: true, value: text };
  return { ok: false, message: `“${excerpt(text)}” is not one of the choices` };
}

/** Finds choices by exact value or label, then by number, then by value or label without regard to case. */
function chosen(text: string, choices: readonly Choice[]): readonly Choice[] {
  const numbered = /^[1-9][0-9]{0,3}$/.test(text) ? choices[Number(text) - 1] : undefined;
  const exact = choices.filter((choice) => choice.label === text || bareText(choice.value) === text);
  // A number that is also the text of another choice is not guessed at.
  const named = numbered === undefined || exact.includes(numbered) ? exact : [...exact, numbered];
  if (named.length > 0) return named;
  const folded = text.toLowerCase();
  return choices.filter(
    (choice) => choice.label.toLowerCase() === folded || bareText(choice.value).toLowerCase() === folded,
  );
}

/** Merges objects key by key and replaces any other value. */
export function mergeJson(value: JsonValue | undefined, changes: JsonValue): JsonValue {
  if (!isJsonObject(value) || !isJsonObject(changes)) return changes;
  const merged = new Map(Object.entries(value));
  for (const [key, member] of Object.entries(changes)) merged.set(key, mergeJson(merged.get(key), member));
  return Object.fromEntries(merged);
}
