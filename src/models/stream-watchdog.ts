import type { Clock } from '../core/index.js';

/** Silence after which a stream counts as dead. */
export const SILENCE_MS = 90_000;

/** Aborts a stream that is silent for too long. */
export class Watchdog {
  /** Aborts with the outer signal, and on silence. */
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

  /** Whether silence was the reason. */
  get silent(): boolean {
    return this.#silent;
  }

  /** Reports input; the first call starts the watch. */
  heard(): void {
    this.#last = this.#clock.now();
    this.#watch ??= this.#wait();
  }

  /** Ends the watch; call it in `finally`. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#watch;
  }

  /** Sleeps once per silence period, however much arrives. */
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
