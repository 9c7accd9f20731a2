// A program that is attacked: it is watched, and ended when its time is up.
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const KEPT_OUTPUT = 32_000_000;
/** What is in the pipes comes at once; what holds them open need not end. */
const DRAIN_MS = 300;
const DEFAULT_LIMIT_MS = 30_000;
const DEFAULT_PATIENCE_MS = 30_000;

/** How a program ended. */
export interface Ended {
  /** 128 and the number of the signal where it was ended by one. */
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  /** True where it did not end in time. */
  readonly wasTooLong: boolean;
}

/** Where and with what a program runs. */
export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** What is written to stdin, which is then closed; undefined keeps it open, `null` is no stdin at all. */
  readonly input?: string | null;
  readonly limitMs?: number;
  /** File descriptors for stdout and stderr where they are not read. */
  readonly stdout?: number;
  readonly stderr?: number;
}

const SIGNAL_NUMBERS: ReadonlyMap<string, number> = new Map([
  ['SIGHUP', 1],
  ['SIGINT', 2],
  ['SIGKILL', 9],
  ['SIGTERM', 15],
]);

/** Those that run now: a group of its own outlives whoever began it, unless it is ended. */
const running = new Set<Process>();

process.on('exit', () => {
  for (const one of running) one.kill('SIGKILL');
});
for (const [signal, number] of SIGNAL_NUMBERS)
  if (signal !== 'SIGKILL') process.once(signal, () => process.exit(128 + number));

/** A running program in a process group of its own, which ends with this process at the latest. */
export class Process {
  readonly #child: ChildProcess;
  readonly #startedAt = performance.now();
  readonly #looks = new Set<() => void>();
  #wasTooLong = false;
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;

  constructor(command: string, args: readonly string[], options: StartOptions) {
    const { cwd, env, input, limitMs = DEFAULT_LIMIT_MS } = options;
    this.#child = spawn(command, args, {
      cwd,
      env,
      detached: true,
      stdio: [input === null ? 'ignore' : 'pipe', options.stdout ?? 'pipe', options.stderr ?? 'pipe'],
    });
    running.add(this);
    const tooLong = setTimeout(() => {
      this.#wasTooLong = true;
      this.kill('SIGKILL');
    }, limitMs);
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (this.stdout.length < KEPT_OUTPUT) this.stdout += text;
      this.#look();
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (this.stderr.length < KEPT_OUTPUT) this.stderr += text;
      this.#look();
    });
    this.#child.stdin?.on('error', () => undefined); // it may leave before it has read everything
    if (input !== undefined && input !== null) this.#child.stdin?.end(input);
    // What it left running may keep its pipes: the end of the program itself is what counts.
    this.ended = once(this.#child, 'exit').then(async ([code, signal]: readonly unknown[]) => {
      clearTimeout(tooLong);
      running.delete(this);
      await Promise.race([once(this.#child, 'close'), sleep(DRAIN_MS, undefined, { ref: false })]);
      this.#look();
      const status = typeof code === 'number' ? code : 128 + (SIGNAL_NUMBERS.get(String(signal)) ?? 0);
      const ms = performance.now() - this.#startedAt;
      return { status, stdout: this.stdout, stderr: this.stderr, ms, wasTooLong: this.#wasTooLong };
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Sends a signal to the program; SIGKILL to its whole group, which may outlive it. */
  kill(signal: NodeJS.Signals): void {
    try {
      process.kill(signal === 'SIGKILL' ? -this.pid : this.pid, signal);
    } catch {
      // it has ended already
    }
  }

  write(text: string): void {
    this.#child.stdin?.write(text);
  }

  end(): void {
    this.#child.stdin?.end();
  }

  /** Waits for a text on stdout or stderr; false where it ends, or does not come, without it. */
  async until(text: string, patienceMs = DEFAULT_PATIENCE_MS): Promise<boolean> {
    const isThere = () => this.stdout.includes(text) || this.stderr.includes(text);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(patience);
        this.#looks.delete(look);
        resolve(isThere());
      };
      const look = () => {
        if (isThere() || this.hasEnded) finish();
      };
      const patience = setTimeout(finish, patienceMs);
      this.#looks.add(look);
      look();
    });
  }

  #look(): void {
    for (const look of [...this.#looks]) look();
  }
}
