import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText } from '../../core/index.js';
import type { StrictJson } from '../answer/strict-json.js';
import { parseStrictJson } from '../answer/strict-json.js';

/** Notes in an edited file. */
export interface EditFileNotes {
  /** One line that names the edited value, in our own words. */
  readonly title: string;
  readonly schema?: JsonObject;
  /** The faults of the last edit, a line each, safe for a terminal. */
  readonly problems: readonly string[];
}

function comments(lines: readonly string[]): string {
  return lines.map((line) => `// ${line}`.trimEnd()).join('\n');
}

/** The text of a value in a file: JSON, indented. */
export function editBody(value: JsonValue): string {
  return JSON.stringify(value, undefined, 2);
}

/** Returns the text of an editable file: JSON or the previous draft, with notes as comment lines. */
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

/** Removes comment lines. JSON strings have no line breaks, so a comment line is never part of one. */
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
