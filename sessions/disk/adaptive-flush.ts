/** Two ways to flush a file, and what tells how long one took. All throw Node's errors. */
export interface FlushWays {
  /** Stops the event loop as long as it takes. */
  readonly inPlace: (fd: number) => void;
  /** In a thread of the pool: the way to it and back costs more than a fast flush. */
  readonly inPool: (fd: number) => Promise<void>;
  /** Milliseconds since any moment. */
  readonly now: () => number;
}

/** The longest that the event loop may stand still for a flush, where the disk is trusted. */
const FAST_MS = 1;

/** The number of fast flushes in a row after which the next one is trusted to be fast. */
const TRUSTED_AFTER = 8;

/**
 * Flushes in place while the disk is fast, else in the pool: so that a fast disk is not waited for twice, and one that
 * is slow, or busy, or gone does not stop everything else, but for the one flush that shows it.
 */
export function adaptiveFlush({ inPlace, inPool, now }: FlushWays): (fd: number) => Promise<void> {
  let fastInARow = 0;
  return async (fd) => {
    const start = now();
    let isFast = false; // one that fails is no reason for trust
    try {
      if (fastInARow >= TRUSTED_AFTER) inPlace(fd);
      else await inPool(fd);
      isFast = now() - start < FAST_MS;
    } finally {
      fastInARow = isFast ? fastInARow + 1 : 0;
    }
  };
}
