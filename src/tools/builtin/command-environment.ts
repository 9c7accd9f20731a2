import type { BuiltinOptions } from './options.js';

type Environment = Readonly<Record<string, string>>;

/** What a program needs to work; nothing here can hold a key (T12). */
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

/** The environment of commands: what is on an allow-list, so that no key has to be known to be kept back (T12, G33). */
export function commandEnvironment({
  env,
  passEnv = [],
}: Pick<BuiltinOptions, 'env' | 'passEnv'>): Environment {
  const passed = new Set(passEnv);
  const kept = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const allowed = ALLOWED.has(name.toUpperCase()) || name.startsWith('LC_') || passed.has(name);
    return allowed && value !== undefined ? [[name, value]] : [];
  });
  return { ...FIXED, ...Object.fromEntries(kept) };
}
