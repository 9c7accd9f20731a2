// A terminal in which the attacked program believes a person sits.
import { setTimeout as sleep } from 'node:timers/promises';

import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

const PATIENCE_MS = 20_000;
/** A key counts from here on after a prompt was drawn or the last key was pressed. */
const ARMED_MS = 600;
/** What a program wrote before its end is read a little later. */
const DRAIN_MS = 200;

/** What runs in a terminal, and how large it is. */
export interface TerminalOptions {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cols?: number;
  readonly rows?: number;
}

/** A program in a pseudo terminal with a screen. */
export class Terminal {
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;
  readonly #looks = new Set<() => void>();
  readonly ended: Promise<number>;
  /** Every byte that was written to the terminal. */
  output = '';
  status: number | undefined;

  constructor({ command, cwd, env, cols = 80, rows = 24 }: TerminalOptions) {
    this.#screen = new xterm.Terminal({ cols, rows, allowProposedApi: true, scrollback: 5000 });
    const [program, ...args] = command;
    this.#pty = spawn(program, args, { cols, rows, cwd, env });
    this.#pty.onData((data) => {
      this.output += data;
      this.#screen.write(data, () => {
        for (const look of [...this.#looks]) look();
      });
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.status = exitCode;
        for (const look of [...this.#looks]) look();
        resolve(exitCode);
      });
    });
  }

  get pid(): number {
    return this.#pty.pid;
  }

  /** The rows that a person sees now. */
  get visible(): readonly string[] {
    const { active } = this.#screen.buffer;
    return this.#rows(active.baseY, active.baseY + this.#screen.rows);
  }

  /** What is on the screen and above it. */
  get shown(): string {
    return this.#rows(0, this.#screen.buffer.active.length).join('\n').trimEnd();
  }

  /** Waits until the screen shows a text; false where it does not come. */
  async until(text: string | RegExp, patienceMs = PATIENCE_MS): Promise<boolean> {
    const isThere = () => (typeof text === 'string' ? this.shown.includes(text) : text.test(this.shown));
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(patience);
        this.#looks.delete(look);
        resolve(isThere());
      };
      const look = () => {
        if (isThere() || this.status !== undefined) finish();
      };
      const patience = setTimeout(finish, patienceMs);
      this.#looks.add(look);
      look();
    });
  }

  /** Writes bytes at once, as a fast typist or a paste does. */
  write(text: string): void {
    if (this.status === undefined) this.#pty.write(text);
  }

  /** Presses keys one by one, as a person does who reads what is there. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      await new Promise((go) => {
        setTimeout(go, ARMED_MS);
      });
      this.write(key);
    }
  }

  /** Waits for the end, at most so long, and for what was written before it; undefined where it did not come. */
  async endedWithin(ms: number): Promise<number | undefined> {
    const status = await Promise.race([this.ended, sleep(ms, undefined, { ref: false })]);
    await sleep(DRAIN_MS);
    return status;
  }

  kill(): void {
    if (this.status === undefined) this.#pty.kill('SIGKILL');
  }

  #rows(from: number, to: number): readonly string[] {
    const { active } = this.#screen.buffer;
    return Array.from({ length: to - from }, (_, row) => {
      return active.getLine(from + row)?.translateToString(true) ?? '';
    });
  }
}
