import { constants } from 'node:os';
import type { Clock } from '../../src/core/index.js';
import { Suspension } from '../../src/core/index.js';
import type { ExitStatus } from './exit-codes.js';
import type { Watchdog } from './watchdog.js';
import { startWatchdog } from './watchdog.js';

/** Two Ctrl-C within this many milliseconds leave. */
const TWICE_MS = 1_000;
/** The time that saving and stopping tools may take after a signal, in milliseconds (G26). */
const LEAVE_MS = 3_000;
/** Code of the program itself that freezes before this many milliseconds is not ended by the watchdog. */
const SOON_MS = 1_000;
/** A frozen program is ended within `LEAVE_MS`; one that is leaving gets a little more, so that its own end comes first. */
const WATCHDOG = { answerMs: LEAVE_MS - 250, leaveMs: LEAVE_MS + 250 };

const STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const satisfies Record<string, ExitStatus>;
type LeavingSignal = keyof typeof STATUS;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface SignalsOptions {
  readonly clock: Clock;
  /** A person sits there: the first Ctrl-C stops the work and stays. Default false. */
  readonly interactive: boolean;
  /** The time for which SIGTERM lets what runs go on to its rest, in milliseconds. Default 0: it leaves at once. */
  readonly drainMs?: number;
}

/**
 * The one owner of the process's signals. Ctrl-C once aborts the work at hand, twice leaves; SIGTERM and SIGHUP
 * leave, SIGTERM after the time to drain if there is one, and what ran is suspended. Leaving aborts `leave`; what does not stop within three seconds is left behind, and where the main thread is
 * frozen a watchdog ends the process (G26).
 */
export class Signals implements Disposable {
  readonly #leave = new AbortController();
  readonly #drain = new AbortController();
  readonly #options: SignalsOptions;
  readonly #handlers: readonly [LeavingSignal, () => void][];
  /** It costs a thread: only where something runs that could freeze. */
  #watchdog: Watchdog | undefined;
  #starting: Promise<void> | undefined;
  #soon: NodeJS.Timeout | undefined;
  #drained: NodeJS.Timeout | undefined;
  #work: AbortController | undefined;
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

  /** Aborts when nothing more is to be begun: with SIGTERM, or when it leaves. */
  get drain(): AbortSignal {
    return this.#drain.signal;
  }

  /** The status of the signal that ended the program; `undefined` where none did. */
  get status(): ExitStatus | undefined {
    return this.#status;
  }

  /**
   * Has signals end the program even where its main thread is frozen: from now on where code runs that is not the
   * program's own, else once it has run for a second, so that a short run needs no second thread.
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

  /** Ctrl-C, also where a prompt reads it as a key. */
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

  /** As SIGTERM does: the first one begins to drain, and the second does not wait for that. */
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

  leaveWith(signal: LeavingSignal): void {
    if (this.#status !== undefined) process.exit(this.#status); // a second signal does not wait for the first
    this.#status = STATUS[signal];
    this.#leave.abort(reasonOf(signal));
    this.#drain.abort(reasonOf(signal));
    this.#watchdog?.leaving();
    setTimeout(() => process.exit(STATUS[signal]), LEAVE_MS).unref();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#soon);
    clearTimeout(this.#drained);
    this.#watchdog?.[Symbol.dispose]();
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}

/** Ctrl-C is a person who stops the run; the others end the program, and the run goes on with the next one. */
function reasonOf(signal: LeavingSignal): Error {
  const message = `stopped by ${signal}`;
  return signal === 'SIGINT' ? new DOMException(message, 'AbortError') : new Suspension(message);
}
