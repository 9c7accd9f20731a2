import type { Duration } from '../../core/index.js';
import { millisecondsOf } from '../../core/index.js';

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
