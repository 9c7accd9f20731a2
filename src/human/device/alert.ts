import { shown } from '../../core/index.js';
import type { HeldTerminal } from './ports.js';

export interface AlertOptions {
  /** Returns how long the work before this question took, in milliseconds. */
  readonly workedMs: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Minimum duration of work that is followed by an alert, in milliseconds. */
const LONG_MS = 5000;
const BELL = shown`\u0007`;
/** Saves the terminal's current title and sets one that shows that hitl is waiting. */
const TITLE = shown`\u001b[22;2t\u001b]2;● hitl: waiting\u0007`;
const FORMER_TITLE = shown`\u001b[23;2t`;

/** Terminals that would print the title instead of setting it. */
const WITHOUT_TITLE = new Set(['linux', 'dumb', 'vt100', 'vt220']);

/** Whether the terminal's title can be set. */
function hasTitle({ env }: AlertOptions): boolean {
  return !WITHOUT_TITLE.has(env['TERM'] ?? 'dumb');
}

/** Rings the bell and sets the title if the work took a long time; returns whether the title was set. */
export function alertPerson(terminal: HeldTerminal, options: AlertOptions | undefined): boolean {
  if (options === undefined || options.workedMs() <= LONG_MS) return false;
  terminal.raw(hasTitle(options) ? shown`${BELL}${TITLE}` : BELL);
  return hasTitle(options);
}

/** Restores the title that the terminal had before `alertPerson`. */
export function restoreTitle(terminal: HeldTerminal): void {
  terminal.raw(FORMER_TITLE);
}
