/** Number of failed attempts to run a session after which the session is reported to the operator. */
export const MANY_ATTEMPTS = 5;

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/** Number of attempts after which the pauses stop growing. */
export const LAST_PAUSE = 6;

/**
 * Returns the delay, in milliseconds, before the next attempt to run a session that has failed this many
 * times.
 */
export function pauseMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 4 ** Math.max(0, attempts - 1));
}
