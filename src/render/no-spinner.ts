import type { Wait } from './activity.js';

/** An animated line while waiting, removed before anything else is written. */
export interface Spinner {
  /** Shows or updates the line. */
  show(wait: Wait): void;
  hide(): void;
}

/** Shows nothing, for streams other than terminals. */
export const NO_SPINNER: Spinner = { show: () => undefined, hide: () => undefined };
