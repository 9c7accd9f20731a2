import type { Interrupt, JsonObject, JsonValue } from '../../core/index.js';
import { isJsonArray, isJsonObject } from '../../core/index.js';

/** A field of a form: what it fills, what it asks, and what may be given. Text from outside. */
export interface FormLine {
  readonly key: string;
  readonly label: string;
  readonly kind: string;
}

const KNOWN: ReadonlySet<string> = new Set(['name', 'label', 'type', 'optional', 'choices']);

/** The fields of a question that asks for a form; `undefined` where the answer would not ask for all that they say. */
export function formOf({ kind, payload, answerSchema }: Interrupt): readonly FormLine[] | undefined {
  const fields = isJsonObject(payload) ? payload['fields'] : undefined;
  const properties = answerSchema?.['properties'];
  if (kind !== 'question' || fields === undefined || !isJsonArray(fields) || !isJsonObject(properties))
    return undefined;
  const lines = fields.map((field) => lineOf(field, properties));
  return lines.every((line) => line !== undefined) ? lines : undefined;
}

function lineOf(field: JsonValue, properties: JsonObject): FormLine | undefined {
  if (!isJsonObject(field) || Object.keys(field).some((key) => !KNOWN.has(key))) return undefined;
  const { name, label = name, type = 'text', optional, choices } = field;
  if (typeof name !== 'string' || typeof label !== 'string' || typeof type !== 'string') return undefined;
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (!isJsonObject(property) || (property['title'] ?? name) !== label) return undefined;
  const listed =
    choices !== undefined && isJsonArray(choices)
      ? [`one of ${choices.filter((choice) => typeof choice === 'string').join(', ')}`]
      : [type];
  return { key: name, label, kind: [...listed, ...(optional === true ? ['may be empty'] : [])].join(', ') };
}
