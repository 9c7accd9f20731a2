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
    ...(room === 'reading' && ONLY_READING),
  };
}
