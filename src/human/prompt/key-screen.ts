import { wrapWords } from '../../core/index.js';
import type { Key } from '../device/keys.js';
import type { Picture, Row } from '../device/region.js';
import type { ScreenSize } from '../device/live-screen.js';
import { plainRow } from '../device/region.js';
import type { Refused } from '../question/key-words.js';
import { listenGuarded } from './guard.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK, underView } from './prompter.js';

/** A prompt that is answered with keys: its rows, and the effect of each deliberate key. */
export interface KeyScreen<Value> {
  /** Returns the prompt's rows, if possible at most `most`. The cursor is placed after the last row. */
  rows(size: ScreenSize, most: number): readonly Row[];
  press(key: Key, done: (value: Value) => void): void;
  refused?(why: Refused): void;
  /**
   * Whether a key makes a decision. Other keys are accepted as soon as the prompt is armed. Default: all keys
   * decide.
   */
  decides?(key: Key): boolean;
  /** Whether a key is known. Default: all keys are known. */
  knows?(key: Key): boolean;
}

/** Wraps the product's own text into rows. */
export function said(
  words: string,
  paint: (text: string) => string,
  { columns }: ScreenSize,
): readonly Row[] {
  return wrapWords(words, columns - 1).map((row) => plainRow(paint(row)));
}

function pictureOf(rows: readonly Row[]): Picture {
  return { rows, cursor: { row: Math.max(0, rows.length - 1), column: rows.at(-1)?.columns ?? 0 } };
}

/**
 * Runs a key prompt, drawn together with its question. Esc goes back. Ctrl-C and Ctrl-D close all open
 * prompts.
 * @throws the reason of the terminal's signal if the question is withdrawn.
 */
export async function runKeys<Value>(
  { terminal, clock, leave, view }: Prompter,
  screen: KeyScreen<Value>,
): Promise<Asked<Value>> {
  terminal.signal.throwIfAborted();
  const shown = terminal.show({
    picture: (size) => underView(view, size, (most) => pictureOf(screen.rows(size, most))),
  });
  let stop: () => void = () => undefined;
  const over = new AbortController();
  try {
    return await new Promise<Asked<Value>>((resolve) => {
      const withdraw = () => {
        resolve(BACK);
      };
      terminal.signal.addEventListener('abort', withdraw, { once: true, signal: over.signal });
      stop = listenGuarded(terminal, clock, {
        key: (key) => {
          if (key.name === 'escape') resolve(BACK);
          else if (key.ctrl && (key.name === 'c' || key.name === 'd'))
            leave(key.name === 'c' ? 'Ctrl-C' : 'Ctrl-D');
          else
            screen.press(key, (value) => {
              resolve(answered(value));
            });
          shown.changed();
        },
        refused: (why) => {
          screen.refused?.(why);
          shown.changed();
        },
        decides: (key) => screen.decides?.(key) ?? true,
        knows: (key) => screen.knows?.(key) ?? true,
      });
    });
  } finally {
    stop();
    over.abort();
    shown.close();
    terminal.signal.throwIfAborted();
  }
}
