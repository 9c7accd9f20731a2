import type { JsonObject, JsonValue } from '../../core/index.js';
import { bareText, isJsonArray, isJsonObject, shownJson } from '../../core/index.js';
import { shownLabel } from '../values/value-rows.js';

export interface Choice {
  /** Foreign text. */
  readonly label: string;
  readonly value: JsonValue;
  /** Explanation of the choice. Untrusted text. */
  readonly description?: string;
}

/** A displayed choice, safe for a terminal. */
export interface ShownChoice {
  readonly label: string;
  /** The recorded answer as JSON. Absent if it equals the label. */
  readonly answers?: string;
  readonly description?: string;
}

/** Formats a choice. Because a label is free text, the recorded value is shown next to it if they differ. */
export function shownChoice({ label, value, description }: Choice): ShownChoice {
  return {
    label: shownLabel(label),
    ...(bareText(value) !== label && { answers: shownJson(value) }),
    ...(description !== undefined && { description: shownLabel(description) }),
  };
}

/** Returns a choice without its description, for a row that lists several choices. */
export function choiceName({ label, answers }: ShownChoice): string {
  return answers === undefined ? label : `${label} → ${answers}`;
}

/**
 * Lists the values that a schema allows, if it defines them with `enum`, `const`, `null` or variants
 * (`oneOf`, `anyOf`) that all list their values. Empty if it also allows other values.
 */
export function schemaChoices(schema: JsonObject): readonly Choice[] {
  const { const: only, enum: values, enumNames, title } = schema;
  if (only !== undefined) return [{ label: typeof title === 'string' ? title : bareText(only), value: only }];
  if (values !== undefined && isJsonArray(values))
    return values.map((value, index) => ({ label: nameAt(enumNames, index) ?? bareText(value), value }));
  if (schema['type'] === 'null') return [{ label: bareText(null), value: null }];
  const variants = schema['oneOf'] ?? schema['anyOf'];
  if (variants === undefined || !isJsonArray(variants)) return [];
  const lists = variants.map((variant) => (isJsonObject(variant) ? schemaChoices(variant) : []));
  return lists.every((list) => list.length > 0) ? lists.flat() : [];
}

/** Returns the name of a listed value from `enumNames`, a keyword in older schemas. */
function nameAt(names: JsonValue | undefined, index: number): string | undefined {
  const name = names !== undefined && isJsonArray(names) ? names[index] : undefined;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

/**
 * Whether choices can be selected by typing their numbers. False if a choice contains a digit that could be
 * mistaken for such a number.
 */
export function areNumbered(choices: readonly Choice[]): boolean {
  return choices.length > 1 && choices.every(({ label, value }) => !/\p{Nd}/u.test(label + bareText(value)));
}

/** Returns the choice with the typed number, or `undefined` if the choices are not numbered. */
export function numberedChoice(choices: readonly Choice[], typed: string): Choice | undefined {
  return areNumbered(choices) && /^[1-9][0-9]*$/u.test(typed) ? choices[Number(typed) - 1] : undefined;
}

/**
 * Lists the values that a list may contain. Empty if it may contain other values, or if a value cannot be
 * typed in a comma-separated list.
 */
export function memberChoices({ type, items }: JsonObject): readonly Choice[] {
  if (type !== 'array' || items === undefined || !isJsonObject(items)) return [];
  const choices = schemaChoices(items);
  const areWords = choices.every(
    ({ label, value }) => typeof value === 'string' && !/[,[]/u.test(label + value),
  );
  return areWords ? choices : [];
}

/** Reads an entry of a tool's list as a choice. Returns `undefined` if it has no usable name. */
export function choiceOf(item: JsonValue): Choice | undefined {
  if (isJsonArray(item)) return undefined;
  if (!isJsonObject(item)) return { label: bareText(item), value: item };
  const { label, name, title, value, description } = item;
  const text = [label, name, title].find((candidate) => typeof candidate === 'string');
  if (text === undefined && (value === undefined || typeof value === 'object')) return undefined;
  const shown = text ?? bareText(value ?? null);
  return {
    label: shown,
    value: value === undefined ? shown : value,
    ...(typeof description === 'string' && { description }),
  };
}
