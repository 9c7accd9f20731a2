// How a call of another agent is looked at: as a call of a tool of ours, by which it is judged and shown.
import { isAbsolute, resolve } from 'node:path';
import type { JsonObject, JsonValue } from '../../src/core/index.js';
import { isJsonArray, isJsonObject, membersOf } from '../../src/core/index.js';
import type { Workspace } from '../../src/files/index.js';
import { placeOf, readText } from '../../src/files/index.js';

/** An agent's call, interpreted as a call to a built-in tool. */
export interface LookedAt {
  /** The built-in tool whose rules apply. */
  readonly name: string;
  readonly input: JsonObject;
  /** The built-in tool that provides the facts. Default: `name`. */
  readonly by?: string;
  /**
   * Whether the input describes everything that the call does. Rules never allow a call that is only partly
   * understood.
   */
  readonly isWhole: boolean;
  /** Set if the facts describe only the location, because the new content is shown separately. */
  readonly isPlace?: true;
}

export interface Look {
  /** The built-in tool whose rules apply, even if the input is unexpected. */
  readonly name: string;
  /** The input's text field that is offered for editing first. */
  readonly field?: string;
  /** Interprets an input. Returns `undefined` if its shape differs from the agent tool's. */
  readonly at: (input: JsonObject, workspace: Workspace) => Promise<readonly LookedAt[] | undefined>;
}

/** Creates the `Look` for a shell command. @param known properties that do not affect what runs */
export function commandLook(known: readonly string[]): Look {
  return {
    name: 'run_command',
    field: 'command',
    at: async ({ command, ...more }) => {
      if (typeof command !== 'string' || command === '') return undefined;
      const isWhole = Object.keys(more).every((key) => known.includes(key));
      return Promise.resolve([{ name: 'run_command', input: { command, writes: true, ask: true }, isWhole }]);
    },
  };
}

export const writeLook: Look = {
  name: 'write_file',
  at: async ({ file_path: path, content, ...more }) => {
    if (typeof path !== 'string' || typeof content !== 'string') return undefined;
    const isWhole = Object.keys(more).length === 0;
    return Promise.resolve([{ name: 'write_file', input: { path, content }, isWhole }]);
  },
};

export const editLook: Look = {
  name: 'edit_file',
  at: async ({ file_path: path, ...edit }, workspace) => changedFile(path, [edit], workspace),
};

export const manyEditsLook: Look = {
  name: 'edit_file',
  at: async ({ file_path: path, edits, ...more }, workspace) => {
    if (edits === undefined || !isJsonArray(edits) || Object.keys(more).length > 0) return undefined;
    return changedFile(path, edits, workspace);
  },
};

export const pathLook: Look = {
  name: 'read_file',
  at: async ({ file_path: path }) =>
    Promise.resolve(
      typeof path === 'string' ? [{ name: 'read_file', input: { path }, isWhole: true }] : undefined,
    ),
};

export const urlLook: Look = {
  name: 'fetch_url',
  at: async ({ url, prompt: _prompt, ...more }) => {
    if (typeof url !== 'string') return undefined;
    const isWhole = Object.keys(more).length === 0;
    return Promise.resolve([{ name: 'fetch_url', input: { url }, isWhole }]);
  },
};

/** Parses a patch to one or more files, and checks where each file is. */
export const patchLook: Look = {
  name: 'edit_file',
  field: 'command',
  at: async ({ command, ...more }, { cwd }) => {
    if (typeof command !== 'string') return undefined;
    const paths = pathsInPatch(command).map((path) => (isAbsolute(path) ? path : resolve(cwd, path)));
    if (paths.length === 0 || Object.keys(more).length > 0) return undefined;
    // The new text is in the patch, which is shown as it is; the facts are about each place.
    return Promise.resolve(paths.map((path) => placeOnly(path)));
  },
};

/** Interprets an agent's diffs. Each replaces a whole file, or a passage that occurs in it exactly once. */
export const diffsLook: Look = {
  name: 'edit_file',
  at: async ({ diffs }, workspace) => {
    if (diffs === undefined || !isJsonArray(diffs) || diffs.length === 0) return undefined;
    const all: LookedAt[] = [];
    for (const diff of diffs) {
      const { path, before, after } = membersOf(diff);
      if (typeof path !== 'string' || typeof before !== 'string' || typeof after !== 'string')
        return undefined;
      const edit = { old_string: before, new_string: after };
      const isWhole = (await textAt(path, workspace)) === before;
      const changed = isWhole
        ? [{ name: 'edit_file', by: 'write_file', input: { path, content: after }, isWhole }]
        : await changedFile(path, [edit], workspace);
      if (changed === undefined) return undefined;
      all.push(...changed);
    }
    return all;
  },
};

/** Describes a change to a file for which only the location is checked. */
function placeOnly(path: string): LookedAt {
  return { name: 'edit_file', by: 'write_file', input: { path, content: '' }, isPlace: true, isWhole: true };
}

const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gmu;

function pathsInPatch(patch: string): readonly string[] {
  return [...patch.matchAll(PATCHED)].map(([, file, target]) => (file ?? target ?? '').trim());
}

/** Maximum size, in bytes, of a file whose changes are shown. */
const MAX_FILE = 5 * 1024 * 1024;

/** Describes edits to a file as a call to the built-in write tool with the resulting content. */
async function changedFile(
  path: JsonValue | undefined,
  edits: readonly JsonValue[],
  workspace: Workspace,
): Promise<readonly LookedAt[] | undefined> {
  if (typeof path !== 'string') return undefined;
  let content = await textAt(path, workspace);
  for (const edit of edits) {
    const after = isJsonObject(edit) ? edited(content, edit) : undefined;
    // The agent may be less exact: its place counts all the same.
    if (after === undefined) return [{ ...placeOnly(path), isWhole: false }];
    content = after;
  }
  return [{ name: 'edit_file', by: 'write_file', input: { path, content }, isWhole: true }];
}

async function textAt(path: string, workspace: Workspace): Promise<string> {
  try {
    const read = await readText(await placeOf(path, workspace), MAX_FILE);
    return read.type === 'text' && !read.cut && read.exact ? read.text : '';
  } catch {
    return ''; // a new file, or none that can be read: then nothing of it can be replaced
  }
}

/** Returns the text with one edit applied, or `undefined` if the edit does not match the text. */
function edited(
  text: string,
  { old_string: from, new_string: to, replace_all: all = false, ...more }: JsonObject,
): string | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || typeof all !== 'boolean') return undefined;
  if (Object.keys(more).length > 0) return undefined;
  if (from === '') return text === '' ? to : undefined;
  const first = text.indexOf(from);
  if (first < 0) return undefined;
  if (all) return text.split(from).join(to);
  if (text.includes(from, first + 1)) return undefined;
  return text.slice(0, first) + to + text.slice(first + from.length);
}
