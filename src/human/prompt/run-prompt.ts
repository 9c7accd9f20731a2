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

/** A prompt provided by inquirer. */
export type InquirerPrompt<Value, Config> = (
  config: Config,
  context: {
    readonly input: NodeJS.ReadableStream;
    readonly output: NodeJS.WritableStream;
    readonly signal: AbortSignal;
    readonly clearPromptOnDone: boolean;
  },
) => Promise<Value>;

/**
 * Stores the last frame that inquirer wrote, so that it can be redrawn after the screen has been overwritten.
 */
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

  /** Redraws the last frame at the cursor. */
  again(): void {
    const start = `${ESC}[G`;
    const from = this.#last.lastIndexOf(start);
    this.#raw(`\r${from < 0 ? this.#last : this.#last.slice(from + start.length)}`);
  }

  /**
   * Writes text with CRLF line breaks. Inquirer ends its lines with a bare line feed, and on some terminals
   * in raw mode, that does not return to column 0.
   */
  #raw(text: string): void {
    this.#terminal.raw(text.replace(/\r?\n/g, '\r\n'));
  }
}

function keypressOf(key: Key) {
  const name = key.name === 'enter' ? 'return' : key.name.toLowerCase();
  return { name, sequence: key.text, ctrl: key.ctrl, meta: key.meta, shift: key.shift };
}

/**
 * Runs an inquirer prompt on a terminal that the caller holds. Esc goes back. Ctrl-C and Ctrl-D close all
 * open prompts.
 * @throws the reason of the terminal's signal if the question is withdrawn.
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
