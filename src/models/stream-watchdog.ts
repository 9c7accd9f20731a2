import type { Clock } from '../core/index.js';

/** Time without data, in milliseconds, after which a stream is considered dead. */
export const SILENCE_MS = 90_000;

/** Aborts a stream if no data arrives for too long. */
export class Watchdog {
  /** Aborts when the outer signal aborts, or when no data arrives for too long. */
  readonly signal: AbortSignal;
  #silent = false;
  readonly #silenceMs: number;
  readonly #clock: Clock;
  readonly #dead = new AbortController();
  readonly #stop = new AbortController();
  #last = 0;
  #watch: Promise<void> | undefined;

  /** `silenceMs` must be positive. */
  constructor(silenceMs: number, clock: Clock, signal: AbortSignal) {
    this.#silenceMs = silenceMs;
    this.#clock = clock;
    this.signal = AbortSignal.any([signal, this.#dead.signal]);
  }

  /** Whether silence caused the abort. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Records that data arrived. The first call starts the watch. */
  heard(): void {
    this.#last = this.#clock.now();
    this.#watch ??= this.#wait();
  }

  /** Stops the watch. Call it in `finally`. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watch;
  }

  /**
   * Waits until no data has arrived for `silenceMs`. Wakes up about once per period, no matter how much data
   * arrives.
   */
  async #wait(): Promise<void> {
    try {
      for (;;) {
        const left = this.#last + this.#silenceMs - this.#clock.now();
        if (left <= 0) break;
        await this.#clock.sleep(left, this.#stop.signal);
      }
      this.#silent = true;
      this.#dead.abort(new Error(`silent for ${this.#silenceMs} ms`));
    } catch (thrown) {
      if (!this.#stop.signal.aborted) this.#dead.abort(thrown); // a clock that fails must not leave a stream unwatched
    }
  }
}
