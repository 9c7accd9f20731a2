import { HitlError } from './errors.js';
import type { JsonObject, JsonValue } from './json.js';
import { parseStrictJson } from './strict-json.js';

/** Required form of a final reply: the schema sent to the model, and the function that checks the reply. */
export interface OutputForm {
  readonly json: JsonObject;
  parse(value: unknown): CheckedValue | Promise<CheckedValue>;
}

type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  /** The problems, one line each. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** The value of a reply, both as parsed (`read`) and as returned by the check (`value`). */
export interface Output {
  readonly read: JsonValue;
  readonly value: unknown;
}

/**
 * Parses a reply, which must consist only of JSON that matches the required form.
 * @throws HitlError BAD_OUTPUT with every problem.
 */
export async function checkedOutput(text: string, form: OutputForm): Promise<Output> {
  const read = parseStrictJson(text);
  if (!read.ok) throw badOutput([`it is not valid JSON: ${read.message} at character ${read.at}`]);
  const checked = await form.parse(read.value);
  if (checked.ok) return { read: read.value, value: checked.value };
  throw badOutput(checked.issues);
}

function badOutput(problems: readonly string[]): HitlError {
  return new HitlError('BAD_OUTPUT', `the reply does not match the required schema: ${problems.join('; ')}`, {
    hint: 'try again, simplify the schema, or use a model that follows schemas',
    detail: { problems },
  });
}
