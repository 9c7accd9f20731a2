import type { Wait } from './activity.js';

/** An animated line shown during a wait. */
export interface Spinner {
  /**
   * Whether the spinner has a row of its own and stays visible while other output is written. If not, it is
   * hidden before anything else is written.
   */
  readonly isApart?: boolean;
  /**
   * Shows the line or updates its text. `above` contains safe lines to show above it if the spinner has a row
   * of its own.
   */
  show(wait: Wait, above?: readonly string[]): void;
  hide(): void;
}

/** A spinner that shows nothing, for streams other than terminals. */
export const NO_SPINNER: Spinner = { show: () => undefined, hide: () => undefined };
