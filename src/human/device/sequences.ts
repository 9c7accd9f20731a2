/** Told to a terminal. */
export const PASTE_ON = '\u001b[?2004h';
/** Told to a terminal. */
const PASTE_OFF = '\u001b[?2004l';
/** Told to a terminal. */
const SHOW_CURSOR = '\u001b[?25h';
/** Told to a terminal. */
export const ALTERNATE_ON = '\u001b[?1049h\u001b[?25l';
/** Told to a terminal. */
export const ALTERNATE_OFF = '\u001b[?1049l\u001b[?25h';
/** Told to a terminal. */
const WRAP_OFF = '\u001b[?7l';
/** Told to a terminal. */
const WRAP_ON = '\u001b[?7h';
/** Told to a terminal. */
const PLAIN_TEXT = '\u001b[0m';
/** The first thing that is told: what the terminal echoed into the row is taken off it. */
export const FIRST_TAKEN = `\r\u001b[K${PASTE_ON}`;
/** Whatever was set is set back. */
export const GIVEN_BACK = PASTE_OFF + SHOW_CURSOR + WRAP_ON + PLAIN_TEXT;

/**
 * Rows that the terminal must not break: what it draws wider than was counted is cut at its edge and moves nothing. The
 * terminal breaks lines again behind them, in the same write, so nothing has to be set back whatever comes next.
 */
export function unbroken(rows: string): string {
  return WRAP_OFF + rows + WRAP_ON;
}
