import { readFile } from 'node:fs/promises';
import path from 'node:path';

import { searchFolders } from './find-program.js';
import type { BuiltinOptions } from './builtin-options.js';

type Environment = Readonly<Record<string, string>>;

/** Variables that programs need; none of them can contain a key (T12). */
const ALLOWED = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  // Windows
  'SYSTEMROOT',
  'COMSPEC',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
]);

/** No colours, pager or prompts: no one would see or answer them. */
const FIXED: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/** Git would write its index to be quicker the next time. */
const ONLY_READING: Environment = { GIT_OPTIONAL_LOCKS: '0' };

/** Variables that a sandbox defines. */
const IN_SANDBOX: Environment = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache' };

/** Longer settings of git are not looked at, in bytes. */
const MOST_SETTINGS = 64 * 1024;

/**
 * The environment of commands in a room. Of the person's settings for git, a copy of the folder gets the name and the
 * address of an author, which every commit tells, unless its repository has its own.
 */
export async function roomEnvironment(
  options: Pick<BuiltinOptions, 'env' | 'passEnv' | 'home' | 'cwd'>,
  room: CommandRoom,
): Promise<Environment> {
  const base = commandEnvironment(options, room);
  if (room !== 'copy') return base;
  const [person, own] = await Promise.all(
    [path.join(options.home, '.gitconfig'), path.join(options.cwd, '.git/config')].map(settingsIn),
  );
  const found = (own ?? '') === '' || userOf(own).length > 0 ? [] : userOf(person);
  return {
    ...base,
    ...(found.length > 0 && { GIT_CONFIG_COUNT: String(found.length) }),
    ...Object.fromEntries(
      found.flatMap(([name, value], at) => [
        [`GIT_CONFIG_KEY_${at}`, `user.${name}`],
        [`GIT_CONFIG_VALUE_${at}`, value],
      ]),
    ),
  };
}

async function settingsIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => ''); // not there, or not ours to read
  return text.length > MOST_SETTINGS ? undefined : text;
}

/** The author in settings of git. */
function userOf(text = ''): readonly (readonly [name: 'name' | 'email', value: string])[] {
  const [, section = ''] = /^\s*\[user\][^\S\n]*\n((?:(?!\s*\[).*\n?)*)/mu.exec(text) ?? [];
  return (['name', 'email'] as const).flatMap((name) => {
    const [, value] =
      new RegExp(`^[^\\S\\n]*${name}[^\\S\\n]*=[^\\S\\n]*"?([^"\\\\#;\\n]+)`, 'imu').exec(section) ?? [];
    return value === undefined ? [] : [[name, value.trim()] as const];
  });
}

/** Where a command runs: without a sandbox, in one, or in one that nobody agreed to: changing nothing, or a copy. */
export type CommandRoom = 'open' | 'sandbox' | 'reading' | 'copy';

/**
 * Returns the environment of commands: an allow-list, so that keys need not be recognized (T12, G33). Omits
 * relative and empty folders of the search path, which mean another program in each folder. A command that nobody
 * agreed to gets no variable that the person added.
 */
export function commandEnvironment(
  { env, passEnv = [] }: Pick<BuiltinOptions, 'env' | 'passEnv'>,
  room: CommandRoom,
): Environment {
  const passed = new Set(room === 'reading' || room === 'copy' ? [] : passEnv);
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const allowed = ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_') || passed.has(name);
    if (!allowed || value === undefined) return [];
    return [[name, name.toUpperCase() === 'PATH' ? searchFolders(value).join(path.delimiter) : value]];
  });
  return {
    ...FIXED,
    ...Object.fromEntries(kept),
    ...(room !== 'open' && IN_SANDBOX),
    ...((room === 'reading' || room === 'copy') && ONLY_READING),
  };
}
