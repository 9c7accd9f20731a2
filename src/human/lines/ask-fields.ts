import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, isSecretSchema, wrapWords } from '../../core/index.js';
import { readField, withField } from '../answer/json-fields.js';
import { fieldProblem, fieldWords } from '../prompt/ask-form.js';
import type { FormField } from '../question/form-fields.js';
import { formFields } from '../question/form-fields.js';

/** The asking of one field in a line. */
export interface FieldAsker {
  /** Asks with this text; returns the line, or `undefined` at the end of the input. */
  readonly ask: (words: string, isSecret: boolean) => Promise<string | undefined>;
  readonly write: (text: string) => void;
  /** The columns of the terminal. */
  readonly columns: number;
}

/** Marks every row with foreign words. */
const BAR = ': ';

/**
 * Asks for a form's fields by label, one line each, again after an invalid line; an empty line skips an
 * optional field.
 * @returns the form's value, each field of it valid; `undefined` at the end of the input.
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

/** Returns the question of a field; the answer is typed in its last row. */
function questionOf(field: FormField, { columns }: FieldAsker): string {
  return barred(`${fieldWords(field)}: `, columns).replace(/ *\n$/u, ' ');
}

/** Wraps foreign words, each row after a bar of ours. */
function barred(text: string, columns: number): string {
  return wrapWords(text, Math.max(8, columns - 1 - BAR.length), '  ')
    .map((row) => `${BAR}${row.trimEnd()}\n`)
    .join('');
}
