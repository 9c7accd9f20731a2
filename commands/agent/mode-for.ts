import type { SessionMode } from '../../src/core/index.js';
import { SESSION_MODES } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Config } from '../settings/settings.js';

/**
 * Returns a session's mode: the flag, else the session's mode unless a stricter one is set elsewhere, else
 * that of the environment or configuration.
 * @param saved The session's settings; absent for a new one.
 */
export function modeFor(
  { mode }: Pick<RunFlags, 'mode'>,
  config: Pick<Config, 'mode'>,
  saved?: { readonly mode?: SessionMode },
): SessionMode {
  if (mode !== undefined) return mode;
  const said = config.mode ?? (saved === undefined ? 'ask' : undefined);
  const kept = saved === undefined ? undefined : (saved.mode ?? 'ask');
  return SESSION_MODES.find((one) => one === said || one === kept) ?? 'ask';
}
