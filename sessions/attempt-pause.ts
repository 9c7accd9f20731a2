/** A session claimed this often without stopping is reported to the operator. */
export const MANY_ATTEMPTS = 5;

const FIRST_MS = 1_000;
const LONGEST_MS = 300_000;

/** The number of tries from which on pauses grow no more. */
export const LAST_PAUSE = 6;

/** The time after which a session is tried again that failed so often, in milliseconds. */
export function pauseMs(attempts: number): number {
  return Math.min(LONGEST_MS, FIRST_MS * 4 ** Math.max(0, attempts - 1));
}
