import type { SessionMode } from '../../src/core/index.js';
import type { RulesInForce } from './rules-in-force.js';

/**
 * Gives what a person is told of the mode of a session: what it means where it is not the usual one, and what it was.
 * @param saved What the session had; absent for a new one.
 */
export function modeLines(
  { mode, modeInWords }: RulesInForce,
  saved?: { readonly mode?: SessionMode },
): readonly string[] {
  const before = saved === undefined ? mode : (saved.mode ?? 'ask');
  if (before !== mode) return [`${modeInWords} (it was ${before})`];
  return mode === 'ask' ? [] : [modeInWords];
}
