import path from 'node:path';

import { searchFolders } from './find-program.js';
import type { BuiltinOptions } from './builtin-options.js';

type Environment = Readonly<Record<string, string>>;

/** Variables that programs need and that cannot contain keys (T12). */
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

/** Variables that disable colors, pagers and prompts, because no one would see or answer them. */
const FIXED: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/**
 * Keeps git from updating its index during read-only commands. The update would only make later commands
 * faster.
 */
const ONLY_READING: Environment = { GIT_OPTIONAL_LOCKS: '0' };

/** Variables that are set in a sandbox. */
const IN_SANDBOX: Environment = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache' };

/**
 * Where a command runs: without a sandbox (`open`), in a sandbox, or without approval in a sandbox that is
 * read-only (`reading`) or contains a copy (`copy`).
 */
export type CommandRoom = 'open' | 'sandbox' | 'reading' | 'copy';

/**
 * Returns the environment for commands. It is built from an allow-list, so that keys do not have to be
 * recognized (T12, G33). Relative and empty entries in the search path are omitted, because they depend on
 * the current folder. An unapproved command does not receive the variables that the user added.
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
