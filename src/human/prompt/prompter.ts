import type { Clock } from '../../core/index.js';
import type { HeldTerminal } from '../device/ports.js';
import type { Picture } from '../device/region.js';
import type { ScreenSize } from '../device/live-screen.js';
import type { TerminalTheme } from '../device/theme.js';
import { plainRow } from '../device/region.js';

/**
 * Returns the question's rows: at most `size.rows`, possibly none, each narrower than `size.columns`. They
 * are drawn above the prompt, redrawn whenever the size changes, and removed together with the prompt.
 */
export type View = (size: ScreenSize) => readonly string[];

/** The context that every prompt needs. */
export interface Prompter {
  readonly terminal: HeldTerminal;
  readonly clock: Clock;
  readonly theme: TerminalTheme;
  /**
   * Called when the user leaves (Ctrl-C, Ctrl-D). All open prompts are then withdrawn and throw the reason of
   * the terminal's signal.
   */
  readonly leave: (why: string) => void;
  /** Shown above each prompt. Default: nothing. */
  readonly view?: View;
}

/**
 * The result of a prompt. `back` means that the user pressed Esc; the caller then shows its own prompt again.
 */
export type Asked<T> = { readonly type: 'answered'; readonly value: T } | { readonly type: 'back' };

/** The result of Esc, which never decides anything. */
export const BACK = { type: 'back' } as const satisfies Asked<never>;

/** Wraps an answer. */
export function answered<T>(value: T): Asked<T> {
  return { type: 'answered', value };
}

/** Adds rows between the question and its prompts. */
export function saying(prompter: Prompter, lines: View): Prompter {
  const { view } = prompter;
  return {
    ...prompter,
    view: (size) => {
      const below = lines(size);
      return [...(view?.({ ...size, rows: size.rows - below.length }) ?? []), ...below];
    },
  };
}

/**
 * Draws a prompt below the question. Rows that do not fit are replaced with a count instead of being dropped
 * silently. The prompt is first drawn for half of the screen, then for the space that the question leaves.
 */
export function underView(
  view: View | undefined,
  size: ScreenSize,
  promptIn: (rows: number) => Picture,
): Picture {
  if (view === undefined) return promptIn(size.rows);
  const room = size.rows - promptIn(Math.floor(size.rows / 2)).rows.length;
  const all = view({ ...size, rows: room });
  const over = all.length - Math.max(1, room);
  const rows = over <= 0 ? all : [`⋯ ${over + 1} rows above ⋯`, ...all.slice(over + 1)];
  const prompt = promptIn(size.rows - rows.length);
  const { row, column } = prompt.cursor;
  return { rows: [...rows.map(plainRow), ...prompt.rows], cursor: { row: rows.length + row, column } };
}
