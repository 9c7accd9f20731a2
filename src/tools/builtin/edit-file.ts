import * as z from 'zod/mini';

import type { Tool } from '../../core/index.js';
import { HitlError, messageOf } from '../../core/index.js';
import type { Place, Workspace } from '../../files/index.js';
import { isFree, placeOf, readText, writeText } from '../../files/index.js';
import { defineTool } from '../define-tool.js';
import { confirmStill } from './agreement.js';
import { changeFacts, noteChange, planChange } from './file-change.js';
import { BUILT_IN } from './builtin-options.js';
import { fileContent } from './write-file.js';
import { orWords } from './or-words.js';
import { findText } from './find-text.js';

/** Maximum size of a file that can be edited, in bytes. */
const MAX_FILE = 5 * 1024 * 1024;
/** Maximum length of the old text; enough to identify its position. */
const MAX_OLD_TEXT = 100_000;

const edit = () =>
  z.object({
    path: z.string().check(z.minLength(1), z.describe('relative to the working directory, or absolute')),
    oldText: fileContent().check(
      z.minLength(1),
      z.maxLength(MAX_OLD_TEXT),
      z.describe('exact current text; must occur once'),
    ),
    newText: fileContent().check(z.describe('replacement text')),
  });
type Edit = z.infer<ReturnType<typeof edit>>;

/**
 * Creates a tool that replaces one piece of a file. For each edit, the user is asked for approval and sees
 * the diff and the resolved path.
 */
export function editFileTool(workspace: Workspace): Tool {
  return defineTool(
    {
      name: 'edit_file',
      description:
        'Replaces one piece of a text file. `oldText` must occur in it exactly once. The user sees the change and approves it.',
      input: edit(),
      output: orWords(z.object({ path: z.string(), line: z.number() })),
      effect: 'once',
      origin: BUILT_IN,
      editing: {
        field: 'newText',
        as: 'text',
        file: 'path',
        labels: { path: 'file', oldText: 'old text', newText: 'new text' },
      },
      needsApproval: true,
      // An edit that does not fit is refused to the model before a person is asked about it.
      problem: async (edit) => problemOf(edit, workspace),
      facts: async ({ path }) => changeFacts(await placeOf(path, workspace), workspace.starts),
      approval: async (edit) =>
        (await planChange({ ...(await plan(edit, workspace)), starts: workspace.starts })).request,
    },
    async (edit, context) => {
      const { place, after, line } = await plan(edit, workspace);
      const { request, before } = await planChange({ place, after, starts: workspace.starts });
      confirmStill(context, request);
      await noteChange(context, { place, after }, before);
      context.signal.throwIfAborted();
      await writeText(place, after, before === undefined ? {} : { before });
      return { path: place.label, line };
    },
  );
}

interface Plan {
  readonly place: Place;
  readonly after: string;
  readonly line: number;
}

async function plan({ path, oldText, newText }: Edit, workspace: Workspace): Promise<Plan> {
  const place = await placeOf(path, workspace);
  const read = await readText(place, MAX_FILE);
  if (read.type === 'binary') throw new HitlError('TOOL_FAILED', `${place.label} is not text`);
  if (read.cut)
    throw new HitlError('TOOL_FAILED', `${place.label} is too large to edit (${read.stats.size} bytes)`);
  if (!read.exact) {
    throw new HitlError('TOOL_FAILED', `${place.label} is not valid UTF-8, so an edit would damage it`);
  }
  const edit = editText(read.text, oldText, newText);
  if (edit.type === 'misfit') throw new HitlError('TOOL_FAILED', `${place.label}: ${edit.why}`);
  return { place, after: edit.text, line: edit.line };
}

/**
 * Returns the reason that an edit cannot be applied. The content of a file that requires approval to read is
 * not checked, because the reason could reveal whether the file contains the text.
 */
async function problemOf(edit: Edit, workspace: Workspace): Promise<string | undefined> {
  try {
    if (!isFree(await placeOf(edit.path, workspace))) return undefined;
    await plan(edit, workspace);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The result of an edit: the new text, or the reason that it cannot be applied. */
type TextEdit =
  | { readonly type: 'edited'; readonly text: string; readonly line: number }
  | { readonly type: 'misfit'; readonly why: string };

/**
 * Replaces a text that must occur exactly once. In a file with `\r\n` line endings, both texts may use `\n`.
 * Runs in linear time.
 */
function editText(text: string, oldText: string, newText: string): TextEdit {
  const first = findText(text, oldText);
  if (first === -1 && text.includes('\r\n') && !oldText.includes('\r\n')) {
    const [before, after] = [oldText, newText].map((given) => given.replaceAll(/\r?\n/g, '\r\n'));
    if (before !== oldText) return editText(text, before ?? '', after ?? '');
  }
  if (first === -1) return { type: 'misfit', why: '`oldText` does not occur in the file' };
  // A second one is enough to know, also where it overlaps the first.
  const second = findText(text, oldText, first + 1);
  if (second !== -1) {
    const lines = `lines ${lineAt(text, first)} and ${lineAt(text, second)}`;
    return {
      type: 'misfit',
      why: `\`oldText\` occurs more than once (for example, ${lines}); include more of the surrounding text`,
    };
  }
  return {
    type: 'edited',
    text: text.slice(0, first) + newText + text.slice(first + oldText.length),
    line: lineAt(text, first),
  };
}

function lineAt(text: string, place: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < place; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}
