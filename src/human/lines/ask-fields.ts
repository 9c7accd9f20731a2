import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, isSecretSchema, wrapWords } from '../../core/index.js';
import { readField, withField } from '../answer/json-fields.js';
import { fieldProblem, fieldWords } from '../prompt/ask-form.js';
import type { FormField } from '../question/form-fields.js';
import { formFields } from '../question/form-fields.js';

/** The asking of one field in a line. */
export interface FieldAsker {
  /** Asks with these words; gives back the line, or `undefined` at the end of the input. */
  readonly ask: (words: string, isSecret: boolean) => Promise<string | undefined>;
  readonly write: (text: string) => void;
  /** The columns of the terminal. */
  readonly columns: number;
}

/** Before every row with words of whoever asks. */
const BAR = ': ';

/**
 * Asks for the fields of a form by their labels, a line each, as often as a line does not fit; an empty line leaves out
 * what may be left out.
 * @returns the value of the form, each field of which fits; `undefined` at the end of the input.
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

/** The words before an answer: their last row is the one that it is typed in. */
function questionOf(field: FormField, { columns }: FieldAsker): string {
  return barred(`${fieldWords(field)}: `, columns).replace(/ *\n$/u, ' ');
}

/** Words of whoever asks, each row of them behind a bar of ours. */
function barred(text: string, columns: number): string {
  return wrapWords(text, Math.max(8, columns - 1 - BAR.length), '  ')
    .map((row) => `${BAR}${row.trimEnd()}\n`)
    .join('');
}
