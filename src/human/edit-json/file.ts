import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { StrictJson } from '../answer/strict-json.js';
import { parseStrictJson } from '../answer/strict-json.js';

/** Notes added to a file for editing. */
export interface EditFileNotes {
  /** One line of trusted text that names the edited value. */
  readonly title: string;
  readonly schema?: JsonObject;
  /** The problems with the last edit, one line each, safe to print in a terminal. */
  readonly problems: readonly string[];
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `// ${line}`.trimEnd()).join('\n');
}

/** Formats a value for an edit file, as indented JSON. */
export function editBody(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/** Returns the text of an edit file: JSON or the previous draft, with the notes as comment lines. */
export function editFileText(body: string, notes: EditFileNotes): string {
  const { title, schema, problems } = notes;
  const head = [
    title,
    'Save and close to continue. An empty file cancels. Lines starting with // are ignored.',
    ...(problems.length === 0 ? [] : ['', 'Not valid yet:', ...problems.map((problem) => `  ${problem}`)]),
  ];
  const shownSchema =
    schema === undefined ? [] : JSON.stringify(schema, undefined, 2).split('\n').map(escapeText);
  const foot = shownSchema.length === 0 ? '' : `\n\n${comments(['Schema:', ...shownSchema])}`;
  return `${comments(head)}\n\n${body}${foot}\n`;
}

/**
 * Removes comment lines. A JSON string cannot contain line breaks, so a line that starts as a comment is
 * never part of a string.
 */
export function withoutComments(text: string): string {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n/);
  return lines
    .filter((line) => !line.trimStart().startsWith('//'))
    .join('\n')
    .trim();
}

/** Reads an edited file; `undefined` if it is empty. */
export function readEditFile(text: string): StrictJson | undefined {
  const json = withoutComments(text);
  return json === '' ? undefined : parseStrictJson(json);
}
