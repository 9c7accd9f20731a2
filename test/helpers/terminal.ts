import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

import type { Home } from './program.js';
import { PROGRAM } from './program.js';

const SIZE = { cols: 100, rows: 40 };
const PATIENCE_MS = 60_000;
/** A key counts from here on after a prompt was drawn or the last key was pressed. */
const ARMED_MS = 600;

/** The built program in a real terminal. */
export class Terminal implements Disposable {
  readonly #pty: IPty;
  readonly #screen = new xterm.Terminal({ ...SIZE, allowProposedApi: true, scrollback: 1000 });
  readonly #waiting = new Set<() => void>();
  readonly ended: Promise<number>;
  output = '';
  #status: number | undefined;

  /** @param more variables of its environment; `PWD` is where it runs. */
  constructor(
    home: Home,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
    program: readonly string[] = [PROGRAM],
  ) {
    const env = { ...home.env, NO_COLOR: '1', ...more };
    const cwd = more['PWD'] ?? home.path;
    this.#pty = spawn(process.execPath, [...program, ...args], { ...SIZE, cwd, env });
    this.#pty.onData((data) => {
      this.output += data;
      this.#screen.write(data, () => {
        for (const look of [...this.#waiting]) look();
      });
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#status = exitCode;
        resolve(exitCode);
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** What is on the screen and above it. */
  get shown(): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from({ length: active.length }, (_, row) => {
      return active.getLine(row)?.translateToString(true) ?? '';
    });
    return rows.join('\n').trimEnd();
  }

  /** Waits until the screen shows a text. */
  async until(text: string | RegExp): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(patience);
        this.#waiting.delete(look);
      };
      const patience = setTimeout(() => {
        stop();
        reject(new Error(`did not see ${String(text)} (status ${String(this.#status)}) on:\n${this.shown}`));
      }, PATIENCE_MS);
      const look = () => {
        if (typeof text === 'string' ? !this.shown.includes(text) : !text.test(this.shown)) return;
        stop();
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Types a text at once, as a fast typist does, and Enter. */
  type(text: string): void {
    this.#pty.write(`${text}\r`);
  }

  /** Types a text at once, without Enter. */
  typeAhead(text: string): void {
    this.#pty.write(text);
  }

  /** Presses keys one by one, as a person does who reads what is there. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await new Promise((resolve) => {
        setTimeout(resolve, ARMED_MS);
      });
      this.#pty.write(key);
    }
  }

  [Symbol.dispose](): void {
    if (this.#status === undefined) this.#pty.kill('SIGKILL');
  }
}
