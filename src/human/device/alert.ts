import { shown } from '../../core/index.js';
import type { HeldTerminal } from './ports.js';

export interface AlertOptions {
  /** Gives how long the work before this question took, in milliseconds. */
  readonly workedMs: () => number;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Shorter work is still on the person's mind. */
const LONG_MS = 5000;
const BELL = shown`\u0007`;
/** The terminal saves the previous title, which is restored later. */
const TITLE = shown`\u001b[22;2t\u001b]2;● hitl: waiting\u0007`;
const FORMER_TITLE = shown`\u001b[23;2t`;

/** These show the letters of a title instead of setting it. */
const WITHOUT_TITLE = new Set(['linux', 'dumb', 'vt100', 'vt220']);

/** Whether the terminal's title can be set. */
function hasTitle({ env }: AlertOptions): boolean {
  return !WITHOUT_TITLE.has(env['TERM'] ?? 'dumb');
}

/** Rings the bell and sets the title if the work took long; returns whether it did. */
export function alertPerson(terminal: HeldTerminal, options: AlertOptions | undefined): boolean {
  if (options === undefined || options.workedMs() <= LONG_MS) return false;
  terminal.raw(hasTitle(options) ? shown`${BELL}${TITLE}` : BELL);
  return hasTitle(options);
}

/** Gives the terminal the title back that it had before `alertPerson`. */
export function restoreTitle(terminal: HeldTerminal): void {
  terminal.raw(FORMER_TITLE);
}
