import type { Duration } from '../../core/index.js';
import { millisecondsOf, sha256 } from '../../core/index.js';

/** Whether another attempt may help: true if there is no predicate, false if the predicate throws. */
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

/** Returns the pause after this many failures, in milliseconds, before random shortening. */
export function pauseMs(
  { delay, factor = 2, cap }: Pauses,
  failures: number,
  { delayMs, capMs }: { readonly delayMs: number; readonly capMs: number },
): number {
  const first = millisecondsOf(delay) ?? delayMs;
  return Math.min(millisecondsOf(cap) ?? capMs, first * factor ** (failures - 1));
}

/**
 * Randomly shortens a pause by up to the fraction `jitter`. The result is derived from the values in `of`, so
 * that another process waits equally long.
 */
export function shorter(wholeMs: number, jitter: number, of: readonly (string | number)[]): number {
  const chance = Number.parseInt(sha256(of.join(':')).slice(0, 8), 16) / 0xffff_ffff;
  return Math.round(wholeMs * (1 - jitter * chance));
}
