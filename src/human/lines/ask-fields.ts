import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, isSecretSchema, wrapWords } from '../../core/index.js';
import { readField, withField } from '../answer/json-fields.js';
import { fieldProblem, fieldWords } from '../prompt/ask-form.js';
import type { FormField } from '../question/form-fields.js';
import { formFields } from '../question/form-fields.js';

/** Asks for single fields on a plain-line terminal. */
export interface FieldAsker {
  /** Shows a prompt and returns the entered line, or `undefined` at the end of the input. */
  readonly ask: (words: string, isSecret: boolean) => Promise<string | undefined>;
  readonly write: (text: string) => void;
  /** Terminal width in columns. */
  readonly columns: number;
}

/** Prefix of every row that contains untrusted text. */
const BAR = ': ';

/**
 * Asks for a form's fields by label, one line each. If a line is invalid, asks for the same field again. An
 * empty line skips an optional field.
 * @returns the form's value, with every field valid, or `undefined` at the end of the input
 */
export async function askFields(schema: JsonObject, asker: FieldAsker): Promise<JsonValue | undefined> {
  let value: JsonValue = {};
  for (const field of formFields(schema, value)) {
    const usual = field.schema['default'];
    const described = field.schema['description'];
    if (typeof described === 'string') asker.write(barred(escapeText(described), asker.columns));
    for (;;) {
      const text = await asker.ask(questionOf(field, asker), isSecretSchema(field.schema));
      if (text === undefined) return undefined;
      if (text === '' && usual !== undefined) {
        value = withField(value, field, { type: 'value', value: usual });
        break;
      }
      const problem = fieldProblem(field, text, undefined);
      if (problem === undefined) {
        value = withField(value, field, readField(field, text, undefined));
        break;
      }
      asker.write(barred(`Invalid: ${problem}`, asker.columns));
    }
  }
  return value;
}

/** Returns the question for a field. The user types the answer at the end of its last row. */
function questionOf(field: FormField, { columns }: FieldAsker): string {
  return barred(`${fieldWords(field)}: `, columns).replace(/ *\n$/u, ' ');
}

/** Wraps untrusted text and prefixes each row with a bar. */
function barred(text: string, columns: number): string {
  return wrapWords(text, Math.max(8, columns - 1 - BAR.length), '  ')
    .map((row) => `${BAR}${row.trimEnd()}\n`)
    .join('');
}
