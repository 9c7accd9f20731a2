import { mkdir, realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ToolRule } from '../../src/core/index.js';
import { HitlError, isJsonObject, membersOf, messageOf } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { replaceFile } from '../host/index.js';
import { loadConfig } from './config-file.js';
import { FOLDERS } from './configured-rules.js';

/**
 * Writes a rule into the user's configuration: for everywhere, or for one folder.
 * @throws HitlError BAD_CONFIG where what is there cannot be read, SAVE_FAILED.
 */
export async function keepRule(
  io: Io,
  { effect, text: written }: ToolRule,
  folder: string | undefined,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const { path, config } = await loadConfig(io);
  const text = written.slice(effect.length + 1);
  const lists = listsAt(config.rules, path, folder);
  const list = lists[effect] ?? [];
  if (list.includes(text)) return { path, isNew: false };
  await write(path, {
    ...config,
    rules: withLists(config.rules, { ...lists, [effect]: [...list, text] }, folder),
  });
  return { path, isNew: true };
}

/**
 * Takes a rule out of the user's configuration; what is there may be one that cannot be read.
 * @throws HitlError BAD_CONFIG where what is there are no lists of texts, SAVE_FAILED.
 */
export async function dropRule(
  io: Io,
  { effect, text: wanted }: { readonly effect: string; readonly text: string },
  folder: string | undefined,
): Promise<{ readonly path: string; readonly wasThere: boolean }> {
  const { path, config } = await loadConfig(io);
  const lists = listsAt(config.rules, path, folder);
  const list = lists[effect] ?? [];
  const left = list.filter((text) => `${effect} ${text}` !== wanted);
  if (left.length === list.length) return { path, wasThere: false };
  await write(path, { ...config, rules: withLists(config.rules, { ...lists, [effect]: left }, folder) });
  return { path, wasThere: true };
}

type Lists = Readonly<Record<string, readonly string[]>>;

/** The lists of everywhere, or of a folder. @throws HitlError BAD_CONFIG where they are no lists of texts. */
function listsAt(rules: unknown, path: string, folder: string | undefined): Lists {
  if (rules === undefined) return {};
  if (!isJsonObject(rules)) throw noLists(path);
  if (folder === undefined) return listsOf(rules, path);
  const folders = rules[FOLDERS] ?? {};
  if (!isJsonObject(folders)) throw noLists(path);
  return listsOf(folders[folder] ?? {}, path);
}

/** The rules with other lists for everywhere, or for a folder. */
function withLists(rules: unknown, lists: Lists, folder: string | undefined): object {
  const before = membersOf(rules);
  const folders = isJsonObject(before[FOLDERS]) ? before[FOLDERS] : undefined;
  if (folder !== undefined) return { ...before, [FOLDERS]: { ...folders, [folder]: lists } };
  return { ...lists, ...(folders !== undefined && { [FOLDERS]: folders }) };
}

/** Nothing is written over what cannot be read. */
function listsOf(rules: unknown, path: string): Lists {
  if (!isJsonObject(rules)) throw noLists(path);
  const lists: Record<string, readonly string[]> = {};
  for (const [effect, list] of Object.entries(rules)) {
    if (effect === FOLDERS) continue;
    const texts: readonly unknown[] = Array.isArray(list) ? list : [undefined];
    const read = texts.filter((text) => typeof text === 'string');
    if (read.length !== texts.length) throw noLists(path);
    lists[effect] = read;
  }
  return lists;
}

function noLists(path: string): HitlError {
  return new HitlError('BAD_CONFIG', `the rules of \`${path}\` are no lists of texts`, {
    hint: 'mend it by hand: { "rules": { "deny": ["run_command git push"] } }',
  });
}

async function write(path: string, config: object): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Where it is a link, its target is replaced and the link stays.
    const target = await realpath(path).catch(() => path);
    await replaceFile(target, `${JSON.stringify(config, null, 2)}\n`);
  } catch (cause) {
    throw new HitlError('SAVE_FAILED', `cannot write \`${path}\`: ${messageOf(cause)}`, {
      hint: 'nothing was changed',
      cause,
    });
  }
}
