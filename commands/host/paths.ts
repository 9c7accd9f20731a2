import { isAbsolute, join, resolve } from 'node:path';
import { HitlError } from '../../src/core/index.js';
import type { Io } from './io.js';

/** Appends path segments to the home folder, which must be absolute. @throws HitlError USAGE */
function inHome(home: string, ...names: readonly string[]): string {
  if (isAbsolute(home)) return join(home, ...names);
  throw new HitlError('USAGE', 'no home folder found for sessions and configuration', {
    hint: 'set HOME or HITL_HOME to a folder you own',
  });
}

/**
 * Returns the user's state folder: `$HITL_HOME`, otherwise `$XDG_STATE_HOME/hitl`, otherwise
 * `~/.local/state/hitl`.
 */
export function stateFolder({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const own = env['HITL_HOME'];
  if (own !== undefined && own !== '') return resolve(own);
  return join(
    xdg(env['XDG_STATE_HOME'], () => inHome(home, '.local', 'state')),
    'hitl',
  );
}

/** Returns the path of the prompt history. */
export function historyFile(io: Pick<Io, 'env' | 'home'>): string {
  return join(stateFolder(io), 'history');
}

/**
 * Returns the user's configuration folder: `$HITL_HOME`, otherwise `$XDG_CONFIG_HOME/hitl`, otherwise
 * `~/.config/hitl`.
 */
export function configFolder({ env, home }: Pick<Io, 'env' | 'home'>): string {
  const own = env['HITL_HOME'];
  if (own !== undefined && own !== '') return resolve(own);
  return join(
    xdg(env['XDG_CONFIG_HOME'], () => inHome(home, '.config')),
    'hitl',
  );
}

/** Returns the sessions folder; `--sessions` takes precedence. */
export function sessionsFolder(io: Pick<Io, 'env' | 'home' | 'cwd'>, flag: string | undefined): string {
  const own = flag ?? io.env['HITL_SESSIONS'];
  if (own !== undefined && own !== '') return resolve(io.cwd, own);
  return join(stateFolder(io), 'sessions');
}

/** Returns the folders that hitl uses for its state, configuration and sessions. */
export function ownFolders(
  io: Pick<Io, 'env' | 'home' | 'cwd'>,
  sessions: string | undefined,
): readonly string[] {
  return [stateFolder(io), configFolder(io), sessionsFolder(io, sessions)];
}

/**
 * Returns the value of an XDG variable. Relative paths are ignored, because the specification declares them
 * invalid.
 */
function xdg(value: string | undefined, fallback: () => string): string {
  return value !== undefined && isAbsolute(value) ? value : fallback();
}
