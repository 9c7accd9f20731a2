import type { AgentFingerprint, SessionEvent, SessionMode, SessionStore } from '../../src/core/index.js';
import { SESSION_MODES, widthOf } from '../../src/core/index.js';
import { detectSandbox, whyNotHeld } from '../../src/tools/index.js';
import { rulePlace } from '../config/project-place.js';
import type { RunFlags } from '../flags/options.js';
import type { Io } from '../host/index.js';
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

/**
 * Says why commands cannot run in copies of the folder here, so that there is no mode `auto`; `undefined` if they can.
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

const NO_COPIES = 'the store of this session keeps no copies of files, so nothing could be undone';

/** Says that a configured reviewer has nothing to do: it is asked in mode `auto`, which the store does not have. */
export function unaskedReviewer(
  { reviewer }: Pick<RunFlags, 'reviewer'>,
  { files }: SessionStore['capabilities'],
): readonly string[] {
  if (reviewer === undefined || files !== undefined) return [];
  return [`\`reviewer\` is not asked here, because there is no mode auto: ${NO_COPIES}`];
}

/** The event that keeps another mode with a session. */
export function modeChanged({ mode: _former, ...rest }: AgentFingerprint, mode: SessionMode): SessionEvent {
  return { type: 'agent-changed', agent: { ...rest, ...(mode !== 'ask' && { mode }) } };
}
