import type { AgentFingerprint, SessionEvent, SessionMode, SessionStore } from '../../src/core/index.js';
import { SESSION_MODES, widthOf } from '../../src/core/index.js';
import { detectSandbox, whyNotHeld } from '../../src/tools/index.js';
import { rulePlace } from '../config/project-place.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
import type { Config } from '../settings/settings.js';

/**
 * Returns the mode for a session. The flag takes precedence. If it is not set, returns the stricter of the
 * session's mode and the one set in the environment or configuration.
 * @param saved The settings of the session; absent for a new session.
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

/**
 * Returns the next mode. The order is from the strictest to the most permissive, and then back to the
 * strictest.
 */
export function nextMode(mode: SessionMode): SessionMode {
  return SESSION_MODES[(SESSION_MODES.indexOf(mode) + 1) % SESSION_MODES.length] ?? 'ask';
}

/**
 * Returns the reason that mode `auto` is not available, because commands cannot run in copies of this folder.
 * Returns `undefined` if they can.
 */
export async function whyNotAuto(
  io: Pick<Io, 'cwd' | 'home'>,
  { sandbox }: Pick<RunFlags, 'sandbox'>,
  { files }: SessionStore['capabilities'],
): Promise<string | undefined> {
  const wide = widthOf(rulePlace(io));
  if (wide !== undefined) return `this is ${wide}`;
  if (files === undefined) return NO_COPIES;
  if (sandbox === 'off') return 'the sandbox is off';
  return whyNotHeld(await detectSandbox());
}

const NO_COPIES = 'this session’s store does not keep file copies, so nothing could be undone';

/**
 * Returns a notice if a configured reviewer is not used. Reviewers are used only in mode `auto`, which some
 * stores do not support.
 */
export function unaskedReviewer(
  { reviewer }: Pick<RunFlags, 'reviewer'>,
  { files }: SessionStore['capabilities'],
): readonly string[] {
  if (reviewer === undefined || files !== undefined) return [];
  return [`\`reviewer\` is not used, because mode auto is not available: ${NO_COPIES}`];
}

/** Returns the event that records a new mode in a session. */
export function modeChanged({ mode: _former, ...rest }: AgentFingerprint, mode: SessionMode): SessionEvent {
  return { type: 'agent-changed', agent: { ...rest, ...(mode !== 'ask' && { mode }) } };
}
