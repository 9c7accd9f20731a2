import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../src/core/index.js';
import { assertNever, HitlError } from '../src/core/index.js';
import { editorOf } from '../src/human/seated.js';
import type { CommonFlags } from './flags/options.js';
import type { SettingPlace } from './config/setting-path.js';
import { changeConfig, toldChange } from './config/write-config.js';
import {
  foldersOfProject,
  LOCAL_FILE,
  nearest,
  PROJECT_FILE,
  PROJECT_MODULE,
} from './config/project-place.js';
import { settingPlace } from './config/setting-path.js';
import { setVariable } from './config/variables.js';
import type { Io } from './host/index.js';
import { configFolder } from './host/index.js';
import { expectedOf, readValue } from './settings/read-value.js';
import { SETTINGS } from './settings/table.js';
import { withValue, withoutValue } from './config/edit-document.js';

/** Flags that select the file to change. Default: the user's configuration. */
export interface ConfigChangeFlags extends CommonFlags {
  readonly project?: boolean;
  readonly local?: boolean;
}

/**
 * `hitl config set`: writes one setting and preserves comments.
 * @throws HitlError USAGE for an invalid setting or value, BAD_CONFIG, SAVE_FAILED.
 */
export async function setConfig(
  io: Io,
  name: string,
  words: readonly string[],
  flags: ConfigChangeFlags,
): Promise<number> {
  const place = settingPlace(name);
  checkPlace(place, flags);
  const value = valueOf(place, words);
  const path = fileOf(io, flags);
  const isChanged = await changeConfig(io, path, (before) => withValue(before, place.path, value));
  const said = `${isChanged ? 'set' : 'already set'}: ${place.path.join('.')} (${path})`;
  const variable = setVariable(SETTINGS[place.key], io.env);
  const wins = variable === undefined ? undefined : `overridden here by ${variable}`;
  return toldChange(io, flags, { key: place.path.join('.'), value, file: path, changed: isChanged }, [
    said,
    wins,
  ]);
}

/** `hitl config unset`: removes one setting. Also removes unknown keys. */
export async function unsetConfig(io: Io, name: string, flags: ConfigChangeFlags): Promise<number> {
  const path = fileOf(io, flags);
  const isChanged = await changeConfig(io, path, (before) =>
    before === '' ? before : withoutValue(before, pathOf(name)),
  );
  const said = `${isChanged ? 'removed' : 'not set'}: ${name} (${path})`;
  return toldChange(io, flags, { key: name, file: path, changed: isChanged }, [said]);
}

/**
 * `hitl config edit`: opens a file in the user's editor and saves it only if it is valid.
 * @throws HitlError USAGE without an editor or a terminal, BAD_CONFIG with nothing changed.
 */
export async function editConfig(io: Io, flags: ConfigChangeFlags): Promise<number> {
  const path = fileOf(io, flags);
  const editor = editorOf({ env: io.env, tempDir: tmpdir(), stdio: [io.stdin, io.stderr] });
  if (editor === undefined)
    throw new HitlError('USAGE', 'no editor: neither `$VISUAL` nor `$EDITOR` is set', {
      hint: `set one of them, or edit the file: ${path}`,
    });
  const isChanged = await changeConfig(io, path, (before) =>
    editor.edit(before === '' ? '{\n}\n' : before, new AbortController().signal),
  );
  return toldChange(io, flags, { file: path, changed: isChanged }, [
    `${isChanged ? 'saved' : 'unchanged'}: ${path}`,
  ]);
}

/** Rejects a setting that a project may not contain, before anything is written. */
function checkPlace({ key }: SettingPlace, { project, local }: ConfigChangeFlags): void {
  if ((project !== true && local !== true) || SETTINGS[key].file !== 'you') return;
  throw new HitlError('USAGE', `\`${key}\` can only be set in your own configuration`, {
    hint: 'leave out --project and --local',
  });
}

/** Returns the value to store. Durations are stored as written, and numbers as numbers. */
function valueOf({ key, kind }: SettingPlace, words: readonly string[]): JsonValue {
  const [text = '', ...more] = words;
  switch (kind.type) {
    case 'texts':
      return [...words];
    case 'rules':
      throw new HitlError('USAGE', '`rules` are lists', { hint: 'hitl rules add deny run_command git push' });
    case 'objects':
      throw new HitlError('USAGE', `\`${key}\` contains ${kind.of}`, { hint: 'hitl config edit' });
    case 'reviewer':
      if (text === 'false' && more.length === 0) return false;
      throw new HitlError('USAGE', `\`${key}\` ${expectedOf(kind)}`, { hint: 'hitl config edit' });
    case 'hooks':
      throw new HitlError('USAGE', `\`${key}\` ${expectedOf(kind)}`, { hint: 'hitl config edit' });
    case 'names':
    case 'profiles':
      throw new HitlError('USAGE', `\`${key}\` is an object`, {
        hint: `specify a key in it: ${kind.type === 'names' ? 'models.<name>' : 'profiles.<name>.<key>'}`,
      });
    case 'text':
    case 'url':
    case 'switch':
    case 'choice':
    case 'whole':
    case 'dollars':
    case 'duration': {
      const read = readValue(kind, text);
      if (!read.ok || more.length > 0)
        throw new HitlError(
          'USAGE',
          `\`${key}\` ${read.ok ? 'takes a single value' : read.expected}, got \`${words.join(' ')}\``,
        );
      return kind.type === 'duration' ? text : read.value;
    }
    default:
      return assertNever(kind);
  }
}

/** Returns the path of a setting. Accepts unknown keys, so that they can be removed. */
function pathOf(name: string): readonly string[] {
  try {
    return settingPlace(name).path;
  } catch {
    return [name];
  }
}

/** Returns the path of the selected file. @throws HitlError USAGE if it is code. */
function fileOf(io: Io, { project, local }: ConfigChangeFlags): string {
  if (project === true && local === true)
    throw new HitlError('USAGE', '`--project` and `--local` cannot be used together', {
      hint: 'use one of them',
    });
  if (project !== true && local !== true) return join(configFolder(io), 'config.json');
  const shared = nearest(io.cwd, [PROJECT_FILE, PROJECT_MODULE]);
  const root = shared.found.length > 0 ? shared.folder : (foldersOfProject(io.cwd).at(-1) ?? io.cwd);
  if (local === true) {
    const own = nearest(io.cwd, [LOCAL_FILE]);
    return join(own.found.length > 0 ? own.folder : root, LOCAL_FILE);
  }
  if (shared.found.includes(PROJECT_MODULE))
    throw new HitlError('USAGE', `this project’s configuration is code: ${join(root, PROJECT_MODULE)}`, {
      hint: 'edit it by hand',
    });
  return join(root, PROJECT_FILE);
}
