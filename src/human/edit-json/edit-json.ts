import type { EditForm, JsonObject, JsonValue } from '../../core/index.js';
import {
  escapeText,
  isHitlError,
  laidOut,
  mayHoldSecret,
  membersOf,
  messageOf,
  ownOf,
  shownChange,
} from '../../core/index.js';
import type { TextEditor } from './editor.js';
import { foldRows } from '../values/fold.js';
import { differenceLines, differences } from '../difference/json-difference.js';
import { shownWhole } from '../device/region.js';
import { questionRows } from '../look/terminal-look.js';
import { editBody, editFileText, readEditFile, withoutComments } from './file.js';
import type { EditFields, FormField } from '../question/form-fields.js';
import {
  editFields,
  kindWords,
  labelOf,
  openEdit,
  textOf,
  typesOf,
  withText,
} from '../question/form-fields.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import type { FormDrafts } from '../prompt/ask-text.js';
import { askForm, problemRows } from '../prompt/ask-form.js';
import { askKey } from '../prompt/key-prompt.js';
import { viewWhole } from '../prompt/view-whole.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';

/** A value for a person to change, and the form in which to edit it. */
export interface ChangeRequest {
  readonly value: JsonValue;
  /** Determines the form, and is also shown in the editor. */
  readonly schema?: JsonObject;
  /** What to edit first. Default: determined by the schema. */
  readonly editing?: EditForm;
  /** Trusted text that names the edited value: `the input of transferMoney`. */
  readonly title: string;
  /** The problems with the previous edit, safe to print in a terminal. */
  readonly problems?: readonly string[];
  readonly editor?: TextEditor;
  readonly drafts?: FormDrafts;
}
/** A value that is shown again before it takes effect. */
export interface EditRequest extends Omit<ChangeRequest, 'problems'> {
  /** Trusted text that describes what the confirming key does: `run it with this input`. */
  readonly verb: string;
  /** Same as `verb`, for a value that was not changed. */
  readonly unchangedVerb: string;
  /** Returns one line per problem with a value; empty if it is valid. */
  readonly validate: (value: JsonValue) => readonly string[];
}

/** The result of an edit. A value equal to the original is `unchanged`. */
export type EditResult =
  | { readonly type: 'unchanged' }
  | { readonly type: 'edited'; readonly value: JsonValue };

/** Number of screen rows that the choices need. */
const OTHER_ROWS = 6;
/**
 * Maximum number of characters to edit in the terminal. Longer text opens in an editor, because handling each
 * key would take too long.
 */
const LONGEST_TEXT = 100_000;
const ENDS = 'shows the change';

/**
 * Lets a person change a value. If the value has a main text, the main text is edited first: as a single
 * line, as several rows, or as a file in the user's editor. Otherwise, the fields are edited one after
 * another. JSON is used only if there is no better form. The result is shown before it takes effect.
 */
export async function changeValue(prompter: Prompter, request: ChangeRequest): Promise<Asked<JsonValue>> {
  const { value, schema = {}, editing, editor, problems = [] } = request;
  const { main, others: named } = editFields(schema, value, editing);
  const others = main === undefined && named.length === 0 ? [{ schema, required: true }] : named;
  // A file for an editor would hold what is typed into it.
  const inEditor = mayHoldSecret(schema) ? undefined : editor;
  if (main?.as === 'text' && inEditor !== undefined) {
    const asked = await inOwnFile(prompter, request, main.field, inEditor);
    if (asked !== 'here') return asked;
  }
  if (main === undefined && inEditor !== undefined && others.some(isJsonOnly))
    return inJsonFile(prompter, request, inEditor);
  const text = main === undefined ? '' : textOf(value, main.field, editing);
  if (text.length > LONGEST_TEXT) {
    told(prompter, 'Too long to edit here. Set $EDITOR, and press e again.');
    return BACK;
  }
  return inForm(withProblems(prompter, problems), request, { ...(main && { main }), others });
}

function withProblems(prompter: Prompter, problems: readonly string[]): Prompter {
  if (problems.length === 0) return prompter;
  return saying(prompter, ({ columns }) => problemRows(problems, columns, prompter.theme));
}

function told({ terminal, theme }: Prompter, words: string): void {
  terminal.write(laidOut(`${theme.error(words)}\n`));
}

/** Whether a field can only be entered as JSON. */
function isJsonOnly(field: FormField): boolean {
  const isAny = field.key === undefined && typesOf(field.schema).length === 0;
  return isAny || kindWords({ ...field, required: true }).startsWith('JSON');
}

async function inForm(
  prompter: Prompter,
  { value, schema = {}, editing, drafts }: ChangeRequest,
  { main, others }: EditFields,
): Promise<Asked<JsonValue>> {
  const drafted = drafts !== undefined && { drafts };
  const form = { ends: ENDS, asIs: true, reopensFirst: true, ...drafted };
  if (main === undefined) return askForm(prompter, schema, value, { ...form, fields: others });
  const { field } = main;
  const { open, close } = openEdit(value, field, editing);
  const lead = `change ${field.key === undefined ? 'it' : `the ${labelOf(field)}`}:`;
  const asked = await askForm(prompter, schema, open, {
    ...form,
    lead,
    hasLines: main.as === 'text',
    fields: [field, ...others],
  });
  return asked.type === 'back' ? BACK : answered(close(asked.value));
}

/**
 * Opens the text as a file of its own type, without adding notes to it. Returns `here` if the text was not
 * changed or the editor failed. The value can then be changed in a form below the question.
 */
async function inOwnFile(
  prompter: Prompter,
  { value, editing, problems = [] }: ChangeRequest,
  field: FormField,
  editor: TextEditor,
): Promise<Asked<JsonValue> | 'here'> {
  if (problems.length > 0) {
    const again = await askKey(withProblems(prompter, problems), {
      message: `Open it again in ${escapeText(editor.name)}?`,
      choices: [{ key: 'e', label: 'change again', value: true }],
    });
    if (again.type === 'back') return BACK;
  }
  const before = textOf(value, field, editing);
  const named = editing?.file === undefined ? undefined : ownOf(membersOf(value), editing.file);
  const saved = await handedOver(prompter, editor, before, typeof named === 'string' ? named : 'text.txt');
  const text = saved === undefined ? before : likeBefore(saved, before);
  return text === before ? 'here' : answered(withText(value, text, field, editing));
}

/**
 * Restores the original line endings, because an editor may add a final newline or convert line endings even
 * if the user did not change them.
 */
function likeBefore(saved: string, before: string): string {
  const ended = !before.endsWith('\n') && saved.endsWith('\n') ? saved.replace(/\r?\n$/u, '') : saved;
  const isCrLf = before.includes('\r\n') && !/(?<!\r)\n/u.test(before);
  return isCrLf ? ended.replaceAll(/\r?\n/gu, '\r\n') : ended;
}

async function handedOver(
  prompter: Prompter,
  editor: TextEditor,
  text: string,
  file?: string,
): Promise<string | undefined> {
  const { terminal } = prompter;
  try {
    return await terminal.handOver(() => editor.edit(text, terminal.signal, file));
  } catch (error) {
    terminal.signal.throwIfAborted();
    if (!isHitlError(error)) throw error;
    told(prompter, messageOf(error));
    return undefined;
  }
}

/** Opens the whole value as JSON, and reopens it until the saved text is valid. */
async function inJsonFile(
  prompter: Prompter,
  { value, title, schema, problems = [] }: ChangeRequest,
  editor: TextEditor,
): Promise<Asked<JsonValue>> {
  let wrong = problems;
  for (let body = editBody(value); ;) {
    const notes = { title, problems: wrong, ...(schema && { schema }) };
    const saved = await handedOver(prompter, editor, editFileText(body, notes));
    const read = saved === undefined ? undefined : readEditFile(saved);
    if (saved === undefined || read === undefined) return BACK;
    // Saved as it was, with its problems: the person gives up, and is not sent back for ever.
    if (wrong.length > 0 && withoutComments(saved) === withoutComments(body)) return BACK;
    if (read.ok) return answered(read.value);
    body = withoutComments(saved);
    wrong = [read.message];
  }
}

/**
 * Lets a person edit a JSON value until it is valid, then shows the difference. Returns the value only after
 * a key confirms it. Esc goes back.
 */
export async function editJson(prompter: Prompter, request: EditRequest): Promise<Asked<EditResult>> {
  let problems: readonly string[] = [];
  for (let value = request.value; ;) {
    const changed = await changeValue(prompter, { ...request, value, problems });
    if (changed.type === 'back') return BACK;
    value = changed.value;
    problems = request.validate(value).map(escapeText);
    if (problems.length > 0) continue;
    const confirmed = await confirm(prompter, request, value);
    if (confirmed.type === 'back') return BACK;
    if (confirmed.value !== 'again') return answered(confirmed.value);
  }
}

async function confirm(
  prompter: Prompter,
  request: EditRequest,
  value: JsonValue,
): Promise<Asked<EditResult | 'again'>> {
  const { terminal, theme } = prompter;
  const lines = differenceLines(differences(...shownChange(request.value, value, request.schema)));
  const again: KeyChoice<EditResult | 'again'> = { key: 'e', label: 'edit again', value: 'again' };
  if (lines.length === 0) {
    const label = request.unchangedVerb;
    return askKey<EditResult | 'again'>(prompter, {
      message: 'No changes.',
      choices: [{ key: 'y', label, value: { type: 'unchanged' } }, again],
    });
  }
  const rows = questionRows(lines, terminal.columns, theme);
  const hasRoom = rows.length <= terminal.rows - OTHER_ROWS;
  const fits = hasRoom && shownWhole(rows, terminal.columns) === rows.length;
  const asking = saying(prompter, (size) => {
    const all = questionRows(lines, size.columns, theme);
    const shown = fits ? all : shortened(all, terminal.rows - OTHER_ROWS, theme.warning);
    return [theme.dim('the change'), ...shown];
  });
  // What does not fit is read to its end first, like everything else that is approved.
  for (let seen = fits; ;) {
    const asked = await askKey<EditResult | 'again' | 'view'>(asking, {
      message: 'Your change:',
      choices: [
        {
          key: 'y',
          label: request.verb,
          value: { type: 'edited', value },
          ...(!seen && { disabled: 'Press v to see the whole change first' }),
        },
        again,
        ...(fits ? [] : [{ key: 'v', label: 'view all', value: 'view' as const }]),
      ],
    });
    if (asked.type === 'back') return BACK;
    if (asked.value !== 'view') return answered(asked.value);
    seen = (await viewWhole(prompter, (columns) => questionRows(lines, columns, theme))) || seen;
  }
}

function shortened(
  rows: readonly string[],
  room: number,
  paint: (text: string) => string,
): readonly string[] {
  const { head, tail, left } = foldRows(rows, Math.max(4, room - 1));
  return [...head, paint(`⋯ ${left.length} rows hidden, v shows everything ⋯`), ...tail];
}
