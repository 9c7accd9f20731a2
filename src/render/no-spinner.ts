import type { Wait } from './activity.js';

/** One line that moves while something is waited for. */
export interface Spinner {
  /** It has a place of its own, and stays while something is written; any other is gone before that. */
  readonly isApart?: boolean;
  /** Shows the line, or changes what it says; `above` are safe lines that stand above it where it has a place of its own. */
  show(wait: Wait, above?: readonly string[]): void;
  hide(): void;
}

/** Shows nothing, for streams other than terminals. */
export const NO_SPINNER: Spinner = { show: () => undefined, hide: () => undefined };
