import type { Duration } from '../../core/index.js';
import { millisecondsOf, sha256 } from '../../core/index.js';

/** True where nobody says that another attempt cannot mend what was thrown; one who throws at it says so. */
export function mayMend(when: ((thrown: unknown) => boolean) | undefined, thrown: unknown): boolean {
  if (when === undefined) return true;
  try {
    return when(thrown);
  } catch {
    return false; // nobody said that it would
  }
}

/** The pauses between attempts. */
export interface Pauses {
  readonly delay?: Duration;
  readonly factor?: number;
  readonly cap?: Duration;
}

/** The pause after so many failures, in milliseconds, before chance takes a part of it. */
export function pauseMs(
  { delay, factor = 2, cap }: Pauses,
  failures: number,
  { delayMs, capMs }: { readonly delayMs: number; readonly capMs: number },
): number {
  const first = millisecondsOf(delay) ?? delayMs;
  return Math.min(millisecondsOf(cap) ?? capMs, first * factor ** (failures - 1));
}

/**
 * A pause made shorter by chance, by at most the part `jitter` of it. The chance follows from what it is for, so a
 * process that takes a run over waits as long as the one before would have.
 */
export function shorter(wholeMs: number, jitter: number, of: readonly (string | number)[]): number {
  const chance = Number.parseInt(sha256(of.join(':')).slice(0, 8), 16) / 0xffff_ffff;
  return Math.round(wholeMs * (1 - jitter * chance));
}
