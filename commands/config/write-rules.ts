import type { ToolRule } from '../../src/core/index.js';
import { HitlError, isJsonObject } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { loadConfig } from './config-file.js';
import { FOLDERS, ruleOfPeople } from './configured-rules.js';
import { changeConfig } from './write-config.js';
import { withValue, withoutValue } from './edit-document.js';

/**
 * Adds a rule to the user's configuration, for all folders or for one. Comments are preserved.
 * @throws HitlError BAD_CONFIG if the file is unreadable, SAVE_FAILED.
 */
export async function keepRule(
  io: Io,
  { effect, text: written }: ToolRule,
  folder: string | undefined,
): Promise<{ readonly path: string; readonly isNew: boolean }> {
  const { path, config } = loadConfig(io);
  const text = written.slice(effect.length + 1);
  const list = listsAt(config.rules, path, folder)[effect];
  if (list?.includes(text) === true) return { path, isNew: false };
  const keys = [...keysOf(folder), effect];
  await changeConfig(io, path, (before) =>
    list === undefined ? withValue(before, keys, [text]) : withValue(before, [...keys, list.length], text),
  );
  return { path, isNew: true };
}

/**
 * Removes a rule from the user's configuration, even an invalid one.
 * @throws HitlError BAD_CONFIG if the rules are not lists of strings, SAVE_FAILED.
 */
export async function dropRule(
  io: Io,
  { effect, text: wanted }: { readonly effect: string; readonly text: string },
  folder: string | undefined,
): Promise<{ readonly path: string; readonly wasThere: boolean }> {
  const { path, config } = loadConfig(io);
  const list = listsAt(config.rules, path, folder)[effect] ?? [];
  const places = [...list.keys()].filter((index) => `${effect} ${list[index] ?? ''}` === wanted);
  if (places.length === 0) return { path, wasThere: false };
  const keys = [...keysOf(folder), effect];
  await changeConfig(io, path, (before) =>
    places.reduceRight((text, index) => withoutValue(text, [...keys, index]), before),
  );
  return { path, wasThere: true };
}

/** Returns the path of keys to the rule lists, either for all folders or for one. */
function keysOf(folder: string | undefined): readonly string[] {
  return folder === undefined ? ['rules'] : ['rules', FOLDERS, folder];
}

type Lists = Readonly<Record<string, readonly string[]>>;

/**
 * Returns the rule lists for all folders or for one. @throws HitlError BAD_CONFIG if they are not lists of
 * strings.
 */
function listsAt(rules: unknown, path: string, folder: string | undefined): Lists {
  if (rules === undefined) return {};
  if (!isJsonObject(rules)) throw noLists(path);
  if (folder === undefined) return listsOf(rules, path);
  const folders = rules[FOLDERS] ?? {};
  if (!isJsonObject(folders)) throw noLists(path);
  return listsOf(folders[folder] ?? {}, path);
}

/**
 * Returns the rules in each list as text. Throws if a rule cannot be read, so that it is never overwritten.
 */
function listsOf(rules: unknown, path: string): Lists {
  if (!isJsonObject(rules)) throw noLists(path);
  const lists: Record<string, readonly string[]> = {};
  for (const [effect, list] of Object.entries(rules)) {
    if (effect === FOLDERS) continue;
    const given: readonly unknown[] = Array.isArray(list) ? list : [undefined];
    lists[effect] = given.map((rule) => {
      const text = typeof rule === 'string' ? rule : effect === 'ask' ? ruleOfPeople(rule)?.text : undefined;
      if (text === undefined) throw noLists(path);
      return text;
    });
  }
  return lists;
}

function noLists(path: string): HitlError {
  return new HitlError('BAD_CONFIG', `the rules in \`${path}\` are not lists of strings`, {
    hint: 'fix it by hand: { "rules": { "deny": ["run_command git push"] } }',
  });
}
