import type { Clock } from '../../core/index.js';
import type { HeldTerminal, TerminalTheme } from '../device/index.js';

/** What every prompt needs of its surroundings. */
export interface Prompter {
  readonly terminal: HeldTerminal;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  /** The person goes away (Ctrl-C, Ctrl-D): every open prompt is withdrawn, and throws the terminal's reason. */
  readonly leave: (why: string) => void;
}

/** What became of a prompt. `back`: Esc, so whoever asked shows its own prompt again. */
export type Asked<T> = { readonly type: 'answered'; readonly value: T } | { readonly type: 'back' };

/** Never decides: what an Esc means. */
export const BACK = { type: 'back' } as const satisfies Asked<never>;

/** Wraps an answer. */
export function answered<T>(value: T): Asked<T> {
  return { type: 'answered', value };
}
