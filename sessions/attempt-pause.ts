/** A session claimed this often without stopping is reported to the operator. */
export const MANY_ATTEMPTS = 5;

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/** Tries after which the pauses stop growing. */
export const LAST_PAUSE = 6;

/** The pause before a session that failed this often is tried again, in milliseconds. */
export function pauseMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 4 ** Math.max(0, attempts - 1));
}
