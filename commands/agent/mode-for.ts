import type { SessionMode } from '../../src/core/index.js';
import { SESSION_MODES } from '../../src/core/index.js';
import type { RunFlags } from '../flags/options.js';
import type { Config } from '../settings/settings.js';

/**
 * The mode of a session: what a flag says, else the mode that the session had, where nothing else says a stricter one,
 * else what the environment or a configuration says.
 * @param saved What the session had; absent for a new one.
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
