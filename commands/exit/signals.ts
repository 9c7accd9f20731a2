import { constants } from 'node:os';
import type { Clock } from '../../src/core/index.js';
import { Suspension } from '../../src/core/index.js';
import type { ExitStatus } from './exit-codes.js';
import type { Watchdog } from './watchdog.js';
import { startWatchdog } from './watchdog.js';

/** Two Ctrl-C within this many milliseconds leave. */
const TWICE_MS = 1_000;
/** Time limit of saving and stopping tools after a signal, in milliseconds (G26). */
const LEAVE_MS = 3_000;
/** The watchdog does not end code of the program itself that freezes before this many milliseconds. */
const SOON_MS = 1_000;
/** A frozen program is killed after `LEAVE_MS`; one that is exiting gets a little longer to exit itself. */
const WATCHDOG = { answerMs: LEAVE_MS - 250, leaveMs: LEAVE_MS + 250 };

const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitStatus>;
type LeavingSignal = keyof typeof STATUS;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface SignalsOptions {
  readonly clock: Clock;
  /** A user is present: the first Ctrl-C stops the work without exiting. Default: false. */
  readonly interactive: boolean;
  /** Time after SIGTERM in which runs may finish, in milliseconds. Default: 0, exit at once. */
  readonly drainMs?: number;
}

/**
 * Owns the process's signal handling. One Ctrl-C aborts the current work, two exit; SIGTERM and SIGHUP exit,
 * SIGTERM after draining, and suspend the run. Exiting aborts `leave`; work that does not stop within three
 * seconds is abandoned, and a watchdog ends a frozen main thread (G26).
 */
export class Signals implements Disposable {
  readonly #leave = new AbortController();
  readonly #drain = new AbortController();
  readonly #options: SignalsOptions;
  readonly #handlers: readonly [LeavingSignal, () => void][];
  /** Needs a thread, so it is only started if something could freeze the main thread. */
  #watchdog: Watchdog | undefined;
  #starting: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #drained: NodeJS.Timeout | undefined;
  #work: AbortController | undefined;
  /** One thing inside the work at hand, which is stopped alone. */
  #inside: AbortController | undefined;
  #lastInterrupt = -Infinity;
  #status: ExitStatus | undefined;

  constructor(options: SignalsOptions) {
    this.#options = options;
    this.#handlers = SIGNALS.map((signal) => [
      signal,
      () => {
        if (signal === 'SIGINT') this.interrupt();
        else if (signal === 'SIGTERM') this.terminate();
        else this.leaveWith(signal);
      },
    ]);
    for (const [signal, handler] of this.#handlers) process.on(signal, handler);
  }

  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** Aborts when no new work may start: on SIGTERM, or on exit. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** The status of the signal that ended the program; `undefined` if none did. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  /**
   * Lets signals end the program even if its main thread is frozen: at once if foreign code runs, else after
   * one second, so that a short run needs no second thread.
   */
  async watch({ foreignCode }: { readonly foreignCode: boolean }): Promise<void> {
    if (foreignCode) await (this.#starting ??= this.#startWatchdog());
    else this.#soon ??= setTimeout(() => void (this.#starting ??= this.#startWatchdog()), SOON_MS).unref();
  }

  async #startWatchdog(): Promise<void> {
    this.#watchdog = startWatchdog(
      this.#handlers.map(([signal]) => constants.signals[signal]),
      WATCHDOG,
    );
    await this.#watchdog.ready;
  }

  /** A signal for the next stretch of work. */
  beginWork(): AbortSignal {
    this.#work = new AbortController();
    return this.#work.signal;
  }

  /** Lets the next Ctrl-C or Esc end one thing inside the work at hand, and nothing else of it. */
  aside(): Disposable & { readonly signal: AbortSignal } {
    const around = this.#work;
    const inside = new AbortController();
    if (around !== undefined) this.#work = inside;
    this.#inside = inside;
    return {
      signal: inside.signal,
      [Symbol.dispose]: () => {
        if (this.#work === inside) this.#work = around;
        if (this.#inside === inside) this.#inside = undefined;
      },
    };
  }

  /** Whether a stop ends one thing inside the work at hand, and not that itself. */
  get stopsInside(): boolean {
    return this.#inside !== undefined && this.#work === this.#inside;
  }

  /** Handles Ctrl-C, also when a prompt reads it as a key. */
  interrupt(): void {
    const now = this.#options.clock.now();
    const twice = now - this.#lastInterrupt < TWICE_MS;
    this.#lastInterrupt = now;
    if (twice || !this.#options.interactive || this.#work === undefined || this.#work.signal.aborted) {
      this.leaveWith('SIGINT');
      return;
    }
    this.stopWork();
  }

  /** Stops the work at hand and stays: Esc. */
  stopWork(): void {
    if (this.#work === undefined || this.#work.signal.aborted) return;
    this.#work.abort(new DOMException('stopped by the user', 'AbortError'));
  }

  /** Handles SIGTERM: the first starts draining, the second exits at once. */
  terminate(): void {
    const { drainMs = 0 } = this.#options;
    if (drainMs === 0 || this.#drain.signal.aborted) {
      this.leaveWith('SIGTERM');
      return;
    }
    this.#drain.abort(reasonOf('SIGTERM'));
    this.#drained = setTimeout(() => {
      this.leaveWith('SIGTERM');
    }, drainMs);
  }

  /** Ends the program as a signal does. @param status 0 if the other end is gone, and that is how it ends */
  leaveWith(signal: LeavingSignal, status: ExitStatus = STATUS[signal]): void {
    if (this.#status !== undefined) process.exit(this.#status); // a second signal does not wait for the first
    this.#status = status;
    this.#leave.abort(reasonOf(signal));
    this.#drain.abort(reasonOf(signal));
    this.#watchdog?.leaving();
    setTimeout(() => process.exit(status), LEAVE_MS).unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#drained);
    this.#watchdog?.[Symbol.dispose]();
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}

/**
 * Ctrl-C is a user who stops the run; other signals end the program, and the next process continues the run.
 */
function reasonOf(signal: LeavingSignal): Error {
  const message = `stopped by ${signal}`;
  return signal === 'SIGINT' ? new DOMException(message, 'AbortError') : new Suspension(message);
}
