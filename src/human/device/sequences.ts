/** Takes off the row what the terminal echoed into it. */
export const NO_ECHO = '\r\u001b[K';
/** Told to a terminal. */
export const PASTE_ON = '\u001b[?2004h';
/** Told to a terminal. */
export const PASTE_OFF = '\u001b[?2004l';
/** Told to a terminal. */
export const SHOW_CURSOR = '\u001b[?25h';
/** Told to a terminal. */
export const ALTERNATE_ON = '\u001b[?1049h\u001b[?25l';
/** Told to a terminal. */
export const ALTERNATE_OFF = '\u001b[?1049l\u001b[?25h';
/** Told to a terminal. */
export const PLAIN_TEXT = '\u001b[0m';
