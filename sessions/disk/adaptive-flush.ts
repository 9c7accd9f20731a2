/** Two ways to flush a file, and what tells how long one took. All throw Node's errors. */
export interface FlushWays {
  /** Stops the event loop as long as it takes. */
  readonly inPlace: (fd: number) => void;
  /** In a thread of the pool: getting there and back costs about half a fast flush more. */
  readonly inPool: (fd: number) => Promise<void>;
  /** Milliseconds since any moment. */
  readonly now: () => number;
}

/** How long the event loop may stand still for a flush. */
const FAST_MS = 1;

/** How many flushes in a row must have been fast before one is trusted to be. */
const TRUSTED_AFTER = 8;

/**
 * Flushes in place while the disk is fast, else in the pool: so that a fast disk is not waited for twice, and one that
 * is slow, or busy, or gone does not stop everything else, but for the one flush that shows it.
 */
export class AdaptiveFlush {
  readonly #ways: FlushWays;
  #fastInARow = 0;

  constructor(ways: FlushWays) {
    this.#ways = ways;
  }

  async flush(fd: number): Promise<void> {
    const { inPlace, inPool, now } = this.#ways;
    const start = now();
    let isFast = false; // one that fails is no reason for trust
    try {
      if (this.#fastInARow >= TRUSTED_AFTER) inPlace(fd);
      else await inPool(fd);
      isFast = now() - start < FAST_MS;
    } finally {
      this.#fastInARow = isFast ? this.#fastInARow + 1 : 0;
    }
  }
}
