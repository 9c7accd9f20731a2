import type { Clock } from '../../src/core/index.js';

interface Sleeper {
  readonly until: number;
  readonly wake: () => void;
}

/** Time by hand. Sleeps that `skips` accepts end at once and move the time; all others wait for `advance`. */
export class ManualClock implements Clock {
  readonly slept: number[] = [];
  readonly #skips: (ms: number) => boolean;
  #now: number;
  #sleepers: Sleeper[] = [];

  constructor(skips: (ms: number) => boolean = () => false, now = 1_000_000) {
    this.#skips = skips;
    this.#now = now;
  }

  get waiting(): number {
    return this.#sleepers.length;
  }

  now(): number {
    return this.#now;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.slept.push(ms);
    if (this.#skips(ms)) {
      this.#now += ms;
      return;
    }
    await new Promise<void>((wake, reject) => {
      const sleeper = { until: this.#now + ms, wake };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason as Error);
      });
    });
  }

  advance(ms: number): void {
    this.#now += ms;
    const due = this.#sleepers.filter(({ until }) => until <= this.#now);
    this.#sleepers = this.#sleepers.filter(({ until }) => until > this.#now);
    for (const { wake } of due) wake();
  }
}
