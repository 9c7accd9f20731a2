/** Turns on bracketed paste. */
export const PASTE_ON = '\u001b[?2004h';
/** Turns off bracketed paste. */
const PASTE_OFF = '\u001b[?2004l';
/** Shows the cursor. */
const SHOW_CURSOR = '\u001b[?25h';
/** Switches to the alternate screen and hides the cursor. */
export const ALTERNATE_ON = '\u001b[?1049h\u001b[?25l';
/** Returns to the main screen and shows the cursor. */
export const ALTERNATE_OFF = '\u001b[?1049l\u001b[?25h';
/** Turns off line wrapping. */
const WRAP_OFF = '\u001b[?7l';
/** Turns on line wrapping. */
const WRAP_ON = '\u001b[?7h';
/** Resets text styles. */
const PLAIN_TEXT = '\u001b[0m';
/** The first output. It clears anything that the terminal has already echoed on the row. */
export const FIRST_TAKEN = `\r\u001b[K${PASTE_ON}`;
/** Resets all terminal settings that were changed. */
export const GIVEN_BACK = PASTE_OFF + SHOW_CURSOR + WRAP_ON + PLAIN_TEXT;

/**
 * Turns off the terminal's line wrapping for these rows, so that a row that is wider than calculated is cut
 * off at the edge. Turns it on again in the same write.
 */
export function unbroken(rows: string): string {
  return WRAP_OFF + rows + WRAP_ON;
}
