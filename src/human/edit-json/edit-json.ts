import type { JsonObject, JsonValue } from '../../core/index.js';
import { escapeText, isHitlError, mayHoldSecret, shownChange, laidOut } from '../../core/index.js';
import type { TextEditor } from './editor.js';
import { foldRows } from '../values/fold.js';
import { differenceLines, differences } from '../difference/json-difference.js';
import { shownWhole } from '../device/region.js';
import { questionRows } from '../look/terminal-look.js';
import { editBody, editFileText, readEditFile, withoutComments } from './file.js';
import { answered, BACK, saying } from '../prompt/prompter.js';
import { askForm, problemRows } from '../prompt/ask-form.js';
import { askKey } from '../prompt/key-prompt.js';
import { viewWhole } from '../prompt/view-whole.js';
import type { Asked, Prompter } from '../prompt/prompter.js';
import type { KeyChoice } from '../prompt/key-prompt.js';

export interface EditRequest {
  readonly value: JsonValue;
  /** Makes the form, and is shown in the editor. */
  readonly schema?: JsonObject;
  /** Name of the edited value, in our own words: `the input of transferMoney`. */
  readonly title: string;
  /** Effect of the last key, in our own words: `run it with this input`. */
  readonly verb: string;
  /** The same for an unchanged value. */
  readonly unchangedVerb: string;
  /** Returns one line per problem of a value; empty if it is valid. */
  readonly validate: (value: JsonValue) => readonly string[];
  readonly editor?: TextEditor;
}

/** The result of an edit; a value that is equal to the first one is `unchanged`. */
export type EditResult =
  { readonly type: 'unchanged' } | { readonly type: 'edited'; readonly value: JsonValue };

/** Rows of the screen that the choices need. */
const OTHER_ROWS = 6;

/** The user's preferred editor, if there are several. */
type Way = 'form' | 'editor';

interface Draft {
  readonly value: JsonValue;
  /** Text of the editor's file, kept if it is not valid JSON yet. */
  readonly body: string;
  readonly problems: readonly string[];
}

/**
 * Edits a JSON value in a form or an editor until it is valid, shows the difference, and returns the value
 * once a key confirms it. Esc goes back.
 */
export async function editJson(prompter: Prompter, request: EditRequest): Promise<Asked<EditResult>> {
  const { value } = request;
  const way = await askWay(prompter, request);
  if (way.type === 'back') return BACK;
  let draft: Draft = { value, body: editBody(value), problems: [] };
  for (;;) {
    // The editor shows them in its file.
    const wrong = way.value === 'form' ? draft.problems : [];
    const asking =
      wrong.length === 0
        ? prompter
        : saying(prompter, ({ columns }) => problemRows(wrong, columns, prompter.theme));
    const edited = await editOnce(asking, request, draft, way.value);
    if (edited.type === 'back') return BACK;
    draft = edited.value;
    if (draft.problems.length > 0) continue;
    const confirmed = await confirm(prompter, request, draft.value);
    if (confirmed.type === 'back') return BACK;
    if (confirmed.value !== 'again') return answered(confirmed.value);
  }
}

async function askWay(prompter: Prompter, { editor, title, schema }: EditRequest): Promise<Asked<Way>> {
  // A file for an editor would hold what is typed into it.
  if (editor === undefined || mayHoldSecret(schema)) return answered('form');
  return askKey<Way>(prompter, {
    message: `Edit ${title}:`,
    choices: [
      { key: 'f', label: 'field by field', value: 'form' },
      { key: 'o', label: `open in ${escapeText(editor.name)}`, value: 'editor' },
    ],
  });
}

async function editOnce(
  prompter: Prompter,
  request: EditRequest,
  draft: Draft,
  way: Way,
): Promise<Asked<Draft>> {
  if (way === 'editor' && request.editor !== undefined) {
    return editInEditor(prompter, request, draft, request.editor);
  }
  const asked = await askForm(prompter, request.schema ?? {}, draft.value, 'discard');
  if (asked.type === 'back') return BACK;
  return answered(checked(request, asked.value));
}

function checked(request: EditRequest, value: JsonValue): Draft {
  const problems = request.validate(value);
  return { value, body: editBody(value), problems: problems.map(escapeText) };
}

async function editInEditor(
  { terminal, theme }: Prompter,
  request: EditRequest,
  draft: Draft,
  editor: TextEditor,
): Promise<Asked<Draft>> {
  const { title, schema } = request;
  const text = editFileText(draft.body, { title, problems: draft.problems, ...(schema && { schema }) });
  let saved: string;
  try {
    saved = await terminal.handOver(() => editor.edit(text, terminal.signal));
  } catch (error) {
    terminal.signal.throwIfAborted();
    if (!isHitlError(error)) throw error;
    terminal.write(laidOut(`${theme.error(error.message)}\n`));
    return BACK;
  }
  const body = withoutComments(saved);
  const read = readEditFile(saved);
  if (read === undefined) return BACK;
  // Saved as it was, with its problems: the person gives up, and is not sent back for ever.
  if (draft.problems.length > 0 && body === withoutComments(draft.body)) return BACK;
  if (!read.ok) return answered({ value: draft.value, body, problems: [read.message] });
  return answered(checked(request, read.value));
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
