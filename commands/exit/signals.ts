import { constants } from 'node:os';
import type { Clock } from '../../src/core/index.js';
import { Suspension } from '../../src/core/index.js';
import type { ExitStatus } from './exit-codes.js';
import type { Watchdog } from './watchdog.js';
import { startWatchdog } from './watchdog.js';

/** Maximum time between two presses of Ctrl-C that exit the program, in milliseconds. */
const TWICE_MS = 1_000;
/** Time limit for saving and stopping tools after a signal, in milliseconds (G26). */
const LEAVE_MS = 3_000;
/**
 * Delay, in milliseconds, before the watchdog starts if no third-party code runs. Until then, the watchdog
 * cannot end the process if hitl's own code freezes.
 */
const SOON_MS = 1_000;
/**
 * Time limits for the watchdog. It kills a frozen program after `LEAVE_MS`. A program that is already exiting
 * has slightly longer, so that it can exit on its own.
 */
const WATCHDOG = { answerMs: LEAVE_MS - 250, leaveMs: LEAVE_MS + 250 };

const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitStatus>;
type LeavingSignal = keyof typeof STATUS;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface SignalsOptions {
  readonly clock: Clock;
  /** Whether a user is present. If so, the first Ctrl-C stops the work without exiting. Default: false. */
  readonly interactive: boolean;
  /** How long runs may take to finish after SIGTERM, in milliseconds. Default: 0, which exits at once. */
  readonly drainMs?: number;
}

/**
 * Handles signals for the process. Pressing Ctrl-C once aborts the current work; pressing it twice exits.
 * SIGTERM and SIGHUP suspend the run and exit, but after SIGTERM, runs may be given time to finish. Exiting
 * aborts `leave`. Work that does not stop within three seconds is abandoned, and a watchdog ends the process
 * if its main thread is frozen (G26).
 */
export class Signals implements Disposable {
  readonly #leave = new AbortController();
  readonly #drain = new AbortController();
  readonly #options: SignalsOptions;
  readonly #handlers: readonly [LeavingSignal, () => void][];
  /** Started only if something could freeze the main thread, because it needs its own thread. */
  #watchdog: Watchdog | undefined;
  #starting: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #drained: NodeJS.Timeout | undefined;
  #work: AbortController | undefined;
  /** An operation within the current work that can be stopped separately. */
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

  /** The exit status for the signal that ended the program; `undefined` if no signal did. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  /**
   * Lets signals end the program even if its main thread is frozen. The watchdog starts at once if
   * third-party code runs. Otherwise, it starts after one second, so that a short run does not need a second
   * thread.
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

  /** Starts a unit of work, and returns the signal that aborts it. */
  beginWork(): AbortSignal {
    this.#work = new AbortController();
    return this.#work.signal;
  }

  /** Makes the next Ctrl-C or Esc end only one operation within the current work. */
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

  /** Whether Ctrl-C or Esc ends only one operation within the current work, not the work itself. */
  get stopsInside(): boolean {
    return this.#inside !== undefined && this.#work === this.#inside;
  }

  /** Handles Ctrl-C, whether it arrives as a signal or as a key in a prompt. */
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

  /** Stops the current work without exiting, as Esc does. */
  stopWork(): void {
    if (this.#work === undefined || this.#work.signal.aborted) return;
    this.#work.abort(new DOMException('stopped by the user', 'AbortError'));
  }

  /** Handles SIGTERM: the first one starts draining, the second exits at once. */
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

  /**
   * Ends the program as if it had received the signal. @param status 0 if the program ends normally because
   * the other end has disconnected
   */
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
 * Returns the reason for stopping. Ctrl-C means that the user stopped the run. After any other signal, the
 * next process continues the run.
 */
function reasonOf(signal: LeavingSignal): Error {
  const message = `stopped by ${signal}`;
  return signal === 'SIGINT' ? new DOMException(message, 'AbortError') : new Suspension(message);
}
