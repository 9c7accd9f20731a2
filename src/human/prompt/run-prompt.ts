// Inquirer draws and keeps a prompt's state; it never sees the terminal itself. Keys reach it only through the guard,
// so that no report, paste or early key is taken for an answer, and it neither sets modes nor ends the process (E1-E11).
import { PassThrough, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

import { columnsOf } from '../../core/index.js';
import type { HeldTerminal, Key } from '../device/index.js';
import type { GuardedListener, Refused } from './guard.js';
import { listenGuarded } from './guard.js';
import type { Asked, Prompter } from './prompter.js';
import { answered, BACK } from './prompter.js';

/** What a prompt of ours hears beside keys. */
export type PromptNews = { readonly type: 'refused'; readonly why: Refused } | { readonly type: 'resized' };

/** Lets a prompt hear its news; returns how to stop. */
export type Subscribe = (listener: (news: PromptNews) => void) => () => void;

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

export interface Surroundings {
  /** Writes what stands above the prompt again, after the screen was lost. */
  readonly above?: () => void;
  readonly decides?: GuardedListener['decides'];
}

/** What inquirer wrote last, so that it can be drawn again after the screen was lost. */
class Frame extends Writable {
  last = '';
  private readonly terminal: HeldTerminal;

  constructor(terminal: HeldTerminal) {
    super({ decodeStrings: false });
    this.terminal = terminal;
  }

  get columns(): number {
    return this.terminal.columns;
  }

  get rows(): number {
    return this.terminal.rows;
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: () => void): void {
    const text = typeof chunk === 'string' ? chunk : String(chunk);
    // Inquirer ends its lines with a bare line feed, which does not return to column 0 in raw mode on every terminal.
    this.terminal.raw(text.replace(/\r?\n/g, '\r\n'));
    if (stripVTControlCharacters(text).trim() !== '') this.last = text;
    done();
  }

  /** Draws the last picture again, from the cursor on. */
  again(): void {
    const start = `${ESC}[G`;
    const from = this.last.lastIndexOf(start);
    const picture = from < 0 ? this.last : this.last.slice(from + start.length);
    this.terminal.raw(`\r${picture.replace(/\r?\n/g, '\r\n')}`);
  }

  /** A narrower terminal has wrapped the picture: takes away the rows inquirer does not know of. */
  forgetWrapped(): void {
    const rows = stripVTControlCharacters(this.last).split('\n');
    const { columns } = this.terminal;
    const extra = rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(columnsOf(row) / columns)) - 1, 0);
    this.terminal.raw(`${ESC}[2K${ESC}[1A`.repeat(extra));
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
  prompter: Prompter,
  prompt: InquirerPrompt<Value, Config>,
  configure: (subscribe: Subscribe) => Config,
  surroundings: Surroundings = {},
): Promise<Asked<Value>> {
  const { terminal, clock, leave } = prompter;
  terminal.signal.throwIfAborted();
  const input = new PassThrough();
  const output = new Frame(terminal);
  const gone = new AbortController();
  const listeners = new Set<(news: PromptNews) => void>();
  const tell = (news: PromptNews) => {
    for (const listener of [...listeners]) listener(news);
  };
  const subscribe: Subscribe = (listener) => {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  };
  const stop = listenGuarded(terminal, clock, {
    key: (key) => {
      if (key.name === 'escape') gone.abort();
      else if (key.ctrl && (key.name === 'c' || key.name === 'd'))
        leave(key.name === 'c' ? 'Ctrl-C' : 'Ctrl-D');
      else input.emit('keypress', key.text, keypressOf(key));
    },
    refused: (why) => {
      tell({ type: 'refused', why });
    },
    redraw: (why) => {
      if (why === 'continued') {
        surroundings.above?.();
        output.again();
      } else if (listeners.size > 0) {
        output.forgetWrapped();
        tell({ type: 'resized' });
      }
    },
    stopping: () => {
      terminal.raw('\r\n');
    },
    ...(surroundings.decides && { decides: surroundings.decides }),
  });
  try {
    const signal = AbortSignal.any([terminal.signal, gone.signal]);
    return answered(await prompt(configure(subscribe), { input, output, signal, clearPromptOnDone: true }));
  } catch (error) {
    terminal.signal.throwIfAborted();
    if (gone.signal.aborted) return BACK;
    throw error;
  } finally {
    stop();
    input.destroy();
  }
}
