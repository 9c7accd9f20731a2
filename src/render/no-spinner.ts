import type { Wait } from './activity.js';

/** One line that moves while something is waited for. It is gone before anything else is written. */
export interface Spinner {
  /** Shows the line, or changes what it says. */
  show(wait: Wait): void;
  hide(): void;
}

/** Shows nothing: for streams that are no terminal. */
export const NO_SPINNER: Spinner = { show: () => undefined, hide: () => undefined };
