import type { IPty } from '@lydell/node-pty';
import { spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

import type { Home } from '../helpers/program.js';
import { PROGRAM } from '../helpers/program.js';

const SIZE = { cols: 160, rows: 200 };
const PATIENCE_MS = 30_000;
/** A key counts from here on after a prompt was drawn. */
const ARMED_MS = 450;

/** What no program has to write that only draws: strings to the terminal, C1 controls, and all C0 but these four. */
const FORBIDDEN = new RegExp(String.raw`\u001b[\]P_^X]|[\u0080-\u009f]|[^\P{Cc}\u001b\r\n\t]`, 'u');
const HIDDEN = /[\u200b\u200e\u200f\u061c\u202a-\u202e\u2060-\u2069\u{e0000}-\u{e007f}]/u;
/** Cursor up, down, right, left, column; erasing; colours; the cursor, breaking of lines, bracketed paste and whole frames on and off. */
const HARMLESS = new RegExp(String.raw`^\u001b\[(?:\d*[ABCDGJK]|[0-9;]*m|\?(?:7|25|2004|2026)[hl])$`);
const SEQUENCE = new RegExp(String.raw`\u001b(?:\[[0-?]*[ -/]*[@-~]|[^[])`, 'g');

/** The built program in a terminal that watches what it is told: replies, titles and screens that nobody asked for. */
export class WatchedTerminal implements Disposable {
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;
  readonly ended: Promise<number>;
  readonly #surprises: string[] = [];
  output = '';
  #status: number | undefined;

  /** @param args for the program, or for Node in its place where they begin with `-e`. */
  constructor(home: Home, args: readonly string[], size = SIZE) {
    this.#screen = new xterm.Terminal({ ...size, allowProposedApi: true, scrollback: 2000 });
    this.#screen.onData((data) => {
      this.#surprises.push(`the terminal replied ${JSON.stringify(data)}`);
    });
    this.#screen.onTitleChange((title) => {
      this.#surprises.push(`the title is ${JSON.stringify(title)}`);
    });
    this.#screen.onBell(() => {
      this.#surprises.push('it rang');
    });
    this.#screen.buffer.onBufferChange(() => {
      this.#surprises.push('another screen is shown');
    });
    this.#pty = spawn(process.execPath, args[0] === '-e' ? [...args] : [PROGRAM, ...args], {
      ...size,
      cwd: home.work,
      env: { ...home.env, NO_COLOR: '1' },
    });
    this.#pty.onData((data) => {
      this.output += data;
      this.#screen.write(data);
    });
    this.ended = new Promise((resolve) => {
      this.#pty.onExit(({ exitCode }) => {
        this.#status = exitCode;
        resolve(exitCode);
      });
    });
  }

  /** The rows of the screen and above it, without the empty ones at the end. */
  async rows(): Promise<readonly string[]> {
    await new Promise<void>((resolve) => {
      this.#screen.write('', resolve);
    });
    const { active } = this.#screen.buffer;
    const rows = Array.from(
      { length: active.length },
      (_, row) => active.getLine(row)?.translateToString(true) ?? '',
    );
    return rows.slice(0, rows.findLastIndex((row) => row !== '') + 1);
  }

  /** Waits until the last row, or the one above the status, shows a text. */
  async until(text: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const rows = await this.rows();
      if (rows.slice(-2).some((row) => row.includes(text))) return;
      if (Date.now() > end || this.#status !== undefined)
        throw new Error(`did not see ${text} (status ${String(this.#status)}) on:\n${rows.join('\n')}`);
      await pause(10);
    }
  }

  /** Waits until a text was written, wherever. */
  async wrote(text: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!this.output.includes(text)) {
      if (Date.now() > end || this.#status !== undefined) throw new Error(`did not see ${text}`);
      await pause(10);
    }
  }

  /** Sends bytes at once. */
  send(text: string): void {
    this.#pty.write(text);
  }

  /** Presses a key after the prompt is armed. */
  async press(key: string): Promise<void> {
    await pause(ARMED_MS);
    this.#pty.write(key);
  }

  /** Everything that this terminal was told and should not have been. */
  async surprises(): Promise<readonly string[]> {
    await this.rows();
    const found = [...this.#surprises];
    const forbidden = FORBIDDEN.exec(this.output) ?? HIDDEN.exec(this.output);
    if (forbidden !== null) {
      const around = this.output.slice(Math.max(0, forbidden.index - 60), forbidden.index + 60);
      found.push(`wrote ${JSON.stringify(forbidden[0])} in ${JSON.stringify(around)}`);
    }
    const sequences = new Set(this.output.match(SEQUENCE) ?? []);
    for (const sequence of sequences) {
      if (!HARMLESS.test(sequence)) found.push(`wrote ${JSON.stringify(sequence)}`);
    }
    return found;
  }

  [Symbol.dispose](): void {
    if (this.#status === undefined) this.#pty.kill('SIGKILL');
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
