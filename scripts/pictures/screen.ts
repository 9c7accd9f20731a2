// The built program in a pseudo terminal, driven as a person does who reads what is there.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

import type { Stage } from './stage.js';

const PROGRAM = fileURLToPath(new URL('../../dist/bin/hitl.js', import.meta.url));
const PATIENCE_MS = 60_000;
/** A key counts from here on after a prompt was drawn or the last key was pressed. */
const ARMED_MS = 700;
/** A screen on which nothing changed for so long is drawn. */
const STILL_MS = 400;

/** Another program than ours, with an environment of its own. */
export interface Other {
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A program at work on a terminal of some size. */
export class Screen implements Disposable {
  readonly #pty: IPty;
  readonly #terminal: xterm.Terminal;
  readonly columns: number;
  readonly rows: number;
  /** Keys that were pressed; letters of a text that was typed are not among them. */
  keys = 0;
  #changedAt = Date.now();

  constructor(
    stage: Stage,
    args: readonly string[],
    size: { readonly columns: number; readonly rows: number },
    other?: Other,
  ) {
    this.columns = size.columns;
    this.rows = size.rows;
    this.#terminal = new xterm.Terminal({
      cols: size.columns,
      rows: size.rows,
      allowProposedApi: true,
      scrollback: 1000,
    });
    const { command, env } = other ?? { command: process.execPath, env: stage.env };
    this.#pty = spawn(command, other === undefined ? [PROGRAM, ...args] : [...args], {
      cols: size.columns,
      rows: size.rows,
      cwd: stage.work,
      env: { ...env },
    });
    // What a terminal says when it is asked what it is.
    this.#terminal.onData((reply) => {
      this.#pty.write(reply);
    });
    this.#pty.onData((data) => {
      this.#terminal.write(data, () => {
        this.#changedAt = Date.now();
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get buffer(): xterm.IBuffer {
    return this.#terminal.buffer.active;
  }

  /** What is on the screen now. */
  get shown(): string {
    const { buffer } = this;
    return Array.from({ length: this.rows }, (_, row) => {
      return buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '';
    }).join('\n');
  }

  /** Waits until the screen shows a text, and stands still. @throws where it does not come. */
  async until(text: string | RegExp): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    const isThere = (): boolean =>
      typeof text === 'string' ? this.shown.includes(text) : text.test(this.shown);
    while (!isThere() || Date.now() - this.#changedAt < STILL_MS) {
      if (Date.now() > end) throw new Error(`did not see ${String(text)} on:\n${this.shown}`);
      await sleep(20);
    }
  }

  /** Presses keys one by one. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await sleep(ARMED_MS);
      this.keys += 1;
      this.#pty.write(key);
    }
  }

  /** Types a text, letter by letter; Enter is a key. */
  async type(text: string): Promise<void> {
    await sleep(ARMED_MS);
    for (const letter of text) {
      this.#pty.write(letter);
      await sleep(15);
    }
  }

  /** Types a text and sends it. */
  async say(text: string): Promise<void> {
    await this.type(text);
    await this.press('\r');
  }

  /** Kills the program at once, as `kill -9` does; what it showed stays. */
  kill(): void {
    this[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    try {
      this.#pty.kill('SIGKILL');
    } catch {
      // It has ended.
    }
  }
}
