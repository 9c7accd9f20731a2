import { isAbsolute, join, resolve } from 'node:path';
import { HitlError } from '../../src/core/index.js';
import type { Io } from './io.js';

/** Joins a path to the home folder, which must be absolute. @throws HitlError USAGE */
function inHome(home: string, ...names: readonly string[]): string {
  if (isAbsolute(home)) return join(home, ...names);
  throw new HitlError('USAGE', 'no home folder found for sessions and configuration', {
    hint: 'set HOME or HITL_HOME to a folder of yours',
  });
}

/** The user's folder of the product: `$HITL_HOME`, else `$XDG_STATE_HOME/hitl`, else `~/.local/state/hitl`. */
export function stateFolder({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const own = env['HITL_HOME'];
  if (own !== undefined && own !== '') return resolve(own);
  return join(
    xdg(env['XDG_STATE_HOME'], () => inHome(home, '.local', 'state')),
    'hitl',
  );
}

/** The file with the lines that were typed at prompts. */
export function historyFile(io: Pick<Io, 'env' | 'home'>): string {
  return join(stateFolder(io), 'history');
}

/** The user's folder of configuration: `$HITL_HOME`, else `$XDG_CONFIG_HOME/hitl`, else `~/.config/hitl`. */
export function configFolder({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const own = env['HITL_HOME'];
  if (own !== undefined && own !== '') return resolve(own);
  return join(
    xdg(env['XDG_CONFIG_HOME'], () => inHome(home, '.config')),
    'hitl',
  );
}

/** Returns the sessions folder; `--sessions` wins. */
export function sessionsFolder(io: Pick<Io, 'env' | 'home' | 'cwd'>, flag: string | undefined): string {
  const own = flag ?? io.env['HITL_SESSIONS'];
  if (own !== undefined && own !== '') return resolve(io.cwd, own);
  return join(stateFolder(io), 'sessions');
}

/** Returns hitl's own folders: state, configuration and sessions. */
export function ownFolders(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  sessions: string | undefined,
): readonly string[] {
  return [stateFolder(io), configFolder(io), sessionsFolder(io, sessions)];
}

/** Ignores relative paths, which XDG declares invalid. */
function xdg(value: string | undefined, fallback: () => string): string {
  return value !== undefined && isAbsolute(value) ? value : fallback();
}
