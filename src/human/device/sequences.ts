/** Sent to a terminal. */
export const PASTE_ON = '\u001b[?2004h';
/** Sent to a terminal. */
const PASTE_OFF = '\u001b[?2004l';
/** Sent to a terminal. */
const SHOW_CURSOR = '\u001b[?25h';
/** Sent to a terminal. */
export const ALTERNATE_ON = '\u001b[?1049h\u001b[?25l';
/** Sent to a terminal. */
export const ALTERNATE_OFF = '\u001b[?1049l\u001b[?25h';
/** Sent to a terminal. */
const WRAP_OFF = '\u001b[?7l';
/** Sent to a terminal. */
const WRAP_ON = '\u001b[?7h';
/** Sent to a terminal. */
const PLAIN_TEXT = '\u001b[0m';
/** The first output: clears the terminal's echo from the row. */
export const FIRST_TAKEN = `\r\u001b[K${PASTE_ON}`;
/** Restores everything that was set. */
export const GIVEN_BACK = PASTE_OFF + SHOW_CURSOR + WRAP_ON + PLAIN_TEXT;

/**
 * Disables the terminal's line wrap for these rows, so that a row drawn wider than counted is cut at the
 * edge. The same write enables it again, so no later write has to.
 */
export function unbroken(rows: string): string {
  return WRAP_OFF + rows + WRAP_ON;
}
