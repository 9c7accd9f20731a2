import { HitlError } from './errors.js';
import type { JsonObject, JsonValue } from './json.js';
import { parseStrictJson } from './strict-json.js';

/** The form that the text of a last reply must have: a schema, as a model is told it, and the check of it. */
export interface OutputForm {
  readonly json: JsonObject;
  parse(value: unknown): CheckedValue | Promise<CheckedValue>;
}

type CheckedValue =
  | { readonly ok: true; readonly value: unknown }
  /** One line an issue. */
  | { readonly ok: false; readonly issues: readonly string[] };

/** The value of a reply: as it was read, and as the check of its form made it. */
export interface Output {
  readonly read: JsonValue;
  readonly value: unknown;
}

/**
 * Reads the value that a reply is: JSON and nothing around it, that fits its form.
 * @throws HitlError BAD_OUTPUT with every problem.
 */
export async function checkedOutput(text: string, form: OutputForm): Promise<Output> {
  const read = parseStrictJson(text);
  if (!read.ok) throw badOutput([`it is no JSON: ${read.message} at character ${read.at}`]);
  const checked = await form.parse(read.value);
  if (checked.ok) return { read: read.value, value: checked.value };
  throw badOutput(checked.issues);
}

function badOutput(problems: readonly string[]): HitlError {
  return new HitlError(
    'BAD_OUTPUT',
    `the reply does not have the form that was asked for: ${problems.join('; ')}`,
    {
      hint: 'ask again, ask for less, or take a model that keeps to schemas',
      detail: { problems },
    },
  );
}
