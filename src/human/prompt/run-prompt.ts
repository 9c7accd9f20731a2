// Inquirer draws and keeps a prompt's state; it never sees the terminal itself. Keys reach it only through the guard,
// so that no report, paste or early key is taken for an answer, and it neither sets modes nor ends the process (E1-E11).
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import type { HeldTerminal } from '../device/ports.js';
import type { Key } from '../device/keys.js';
import type { GuardedListener } from './guard.js';
import { listenGuarded } from './guard.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK } from './prompter.js';

const ESC = '\u001b';

/** A prompt made by inquirer. */
export type InquirerPrompt<Value, Config> = (
  config: Config,
  context: {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    readonly signal: AbortSignal;
    readonly clearPromptOnDone: boolean;
  },
) => Promise<Value>;

/** The frame that inquirer wrote last, so that it can be drawn again after the screen was lost. */
class Frame extends Writable {
  readonly #terminal: HeldTerminal;
  #last = '';

  constructor(terminal: HeldTerminal) {
    super({ decodeStrings: false });
    this.#terminal = terminal;
  }

  get columns(): number {
    return this.#terminal.columns;
  }

  get rows(): number {
    return this.#terminal.rows;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    const text = typeof chunk === 'string' ? chunk : String(chunk);
    this.#raw(text);
    if (stripVTControlCharacters(text).trim() !== '') this.#last = text;
    done();
  }

  /** Draws the last picture again, from the cursor on. */
  again(): void {
    const start = `${ESC}[G`;
    const from = this.#last.lastIndexOf(start);
    this.#raw(`\r${from < 0 ? this.#last : this.#last.slice(from + start.length)}`);
  }

  /** Inquirer ends its lines with a bare line feed, which does not return to column 0 in raw mode on every terminal. */
  #raw(text: string): void {
    this.#terminal.raw(text.replace(/\r?\n/g, '\r\n'));
  }
}

function keypressOf(key: Key) {
  const name = key.name === 'enter' ? 'return' : key.name.toLowerCase();
  return { name, sequence: key.text, ctrl: key.ctrl, meta: key.meta, shift: key.shift };
}

/**
 * Runs an inquirer prompt for the holder of a terminal. Esc goes back; Ctrl-C and Ctrl-D leave everything.
 * @throws the reason of the terminal's signal when the question is withdrawn.
 */
export async function runPrompt<Value, Config>(
  { terminal, clock, leave }: Prompter,
  prompt: InquirerPrompt<Value, Config>,
  config: Config,
  decides: NonNullable<GuardedListener['decides']>,
): Promise<Asked<Value>> {
  terminal.signal.throwIfAborted();
  const input = new PassThrough();
  const output = new Frame(terminal);
  const gone = new AbortController();
  const stop = listenGuarded(terminal, clock, {
    key: (key) => {
      if (key.name === 'escape') gone.abort();
      else if (key.ctrl && (key.name === 'c' || key.name === 'd'))
        leave(key.name === 'c' ? 'Ctrl-C' : 'Ctrl-D');
      else input.emit('keypress', key.text, keypressOf(key));
    },
    refused: () => undefined,
    redraw: () => {
      output.again();
    },
    stopping: () => {
      terminal.raw('\r\n');
    },
    decides,
  });
  try {
    const signal = AbortSignal.any([terminal.signal, gone.signal]);
    return answered(await prompt(config, { input, output, signal, clearPromptOnDone: true }));
  } catch (error) {
    terminal.signal.throwIfAborted();
    if (gone.signal.aborted) return BACK;
    throw error;
  } finally {
    stop();
    input.destroy();
  }
}
