import type { JsonObject, JsonValue } from '../../core/index.js';
import { bareText, isJsonArray, isJsonObject, shownJson } from '../../core/index.js';
import { shownLabel } from '../values/value-rows.js';

/** One thing that a person may choose. */
export interface Choice {
  /** Text from outside. */
  readonly label: string;
  readonly value: JsonValue;
  /** Text from outside that explains it. */
  readonly description?: string;
}

/** A choice as it is shown; all of it is safe for a terminal. */
export interface ShownChoice {
  readonly label: string;
  /** The answer when this is taken, as JSON; absent where that is the text of the label. */
  readonly answers?: string;
  readonly description?: string;
}

/** Puts a choice into words: a label may say anything, so the value that is recorded stands beside it. */
export function shownChoice({ label, value, description }: Choice): ShownChoice {
  return {
    label: shownLabel(label),
    ...(bareText(value) !== label && { answers: shownJson(value) }),
    ...(description !== undefined && { description: shownLabel(description) }),
  };
}

/** A choice without what explains it, for a row of several. */
export function choiceName({ label, answers }: ShownChoice): string {
  return answers === undefined ? label : `${label} → ${answers}`;
}

/**
 * Lists the values that a schema allows, whatever their type: an `enum`, a `const`, `null`, and variants (`oneOf`,
 * `anyOf`) of which each lists its own. It is empty where other values are allowed as well.
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

/** The name of a listed value, where a schema of an older kind has names beside its values. */
function nameAt(names: JsonValue | undefined, index: number): string | undefined {
  const name = names !== undefined && isJsonArray(names) ? names[index] : undefined;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
}

/** Lists the values that the members of a list may have; empty where others are allowed, or one cannot be typed in a row. */
export function memberChoices({ type, items }: JsonObject): readonly Choice[] {
  if (type !== 'array' || items === undefined || !isJsonObject(items)) return [];
  const choices = schemaChoices(items);
  const areWords = choices.every(
    ({ label, value }) => typeof value === 'string' && !/[,[]/u.test(label + value),
  );
  return areWords ? choices : [];
}

/** Reads one choice of a list that a tool gives; `undefined` where it cannot be chosen by a name. */
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
