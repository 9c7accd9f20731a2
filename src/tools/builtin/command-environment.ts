import path from 'node:path';

import { searchFolders } from './find-program.js';
import type { BuiltinOptions } from './builtin-options.js';

type Environment = Readonly<Record<string, string>>;

/** The variables that a program needs to work; none of them can hold a key (T12). */
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

/** No colours, no pager and no questions: nobody is there to see or to answer them. */
const FIXED: Environment = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
};

/** The variables that a sandbox has a place for. */
const IN_SANDBOX: Environment = { TMPDIR: '/tmp', XDG_CACHE_HOME: '/tmp/.cache' };

/**
 * The environment of commands: what is on an allow-list, so that no key has to be known to be kept back (T12, G33).
 * Folders of the search path that are relative or empty are left out: they mean another program in each folder.
 */
export function commandEnvironment(
  { env, passEnv = [] }: Pick<BuiltinOptions, 'env' | 'passEnv'>,
  sandboxed: boolean,
): Environment {
  const passed = new Set(passEnv);
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const allowed = ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_') || passed.has(name);
    if (!allowed || value === undefined) return [];
    return [[name, name.toUpperCase() === 'PATH' ? searchFolders(value).join(path.delimiter) : value]];
  });
  return { ...FIXED, ...Object.fromEntries(kept), ...(sandboxed && IN_SANDBOX) };
}
