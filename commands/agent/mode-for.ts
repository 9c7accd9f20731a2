import type { AgentFingerprint, SessionEvent, SessionMode } from '../../src/core/index.js';
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

/** The mode that comes after another one: from the strictest to the widest, and around. */
export function nextMode(mode: SessionMode): SessionMode {
  return SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? 'ask';
}

/** The event that keeps another mode with a session. */
export function modeChanged({ mode: _former, ...rest }: AgentFingerprint, mode: SessionMode): SessionEvent {
  return { type: 'agent-changed', agent: { ...rest, ...(mode !== 'ask' && { mode }) } };
}
