import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

import type { Home, Ran } from './program.js';
import { PROGRAM } from './program.js';

const PATIENCE_MS = 60_000;

/** The built program while it runs: its stdin stays open, and its output can be waited for. */
export class Running implements AsyncDisposable {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting = new Set<() => void>();
  readonly ended: Promise<Ran>;
  stdout = '';
  stderr = '';

  constructor(
    home: Home,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    program: readonly string[] = [PROGRAM],
  ) {
    this.#child = spawn(process.execPath, [...program, ...args], { env: { ...home.env, ...env } });
    const { stdin, stdout, stderr } = this.#child;
    stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
      this.#look();
    });
    stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#look();
    });
    stdin.on('error', () => undefined); // the program may be gone
    this.ended = once(this.#child, 'close').then(([code, signal]: (number | string | null)[]) => {
      this.#look();
      const status = typeof code === 'number' ? code : signal === 'SIGKILL' ? 137 : 1;
      return { status, stdout: this.stdout, stderr: this.stderr };
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Waits until stderr or stdout holds a text. */
  async until(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = () => {
        this.#waiting.delete(look);
        reject(new Error(`did not see ${text} in ${JSON.stringify([this.stdout, this.stderr])}`));
      };
      const patience = setTimeout(fail, PATIENCE_MS);
      const look = () => {
        const seen = this.stderr.includes(text) || this.stdout.includes(text);
        if (!seen && this.#child.exitCode === null && this.#child.signalCode === null) return;
        clearTimeout(patience);
        this.#waiting.delete(look);
        if (seen) resolve();
        else fail();
      };
      this.#waiting.add(look);
      look();
    });
  }

  write(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Ends stdin. */
  end(): void {
    this.#child.stdin.end();
  }

  /** Lets nobody read stdout any more, as `head` does when it has enough. */
  closeStdout(): void {
    this.#child.stdout.destroy();
  }

  /** The hardest end there is. */
  signal(name: 'SIGTERM' | 'SIGINT'): void {
    this.#child.kill(name);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }
}
