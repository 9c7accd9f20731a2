/** The source of time for everything below the commands. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Adjusts the clock by `ms`, when a shared store has the authoritative time. Affects everything that uses
   * this clock.
   * @returns the total adjustment. Default: a shared store wraps this clock in its own.
   */
  correct?(ms: number): number;
  /** The unadjusted clock, for measuring durations. Default: this one. */
  readonly basis?: Clock;
}

/** A clock that can be adjusted to another clock's time. */
export interface CorrectedClock extends Clock {
  readonly basis: Clock;
  correct(ms: number): number;
}

/** Returns a clock that follows `basis`, corrected by a known offset. */
export function correctedClock(basis: Clock): CorrectedClock {
  let ahead = 0;
  return {
    basis,
    now: () => basis.now() + ahead,
    sleep: async (ms, signal) => basis.sleep(ms, signal),
    correct(ms) {
      ahead += ms;
      return ahead;
    },
  };
}

/** A time limit, and the error after it. */
interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly late: () => Error;
}

/**
 * Runs hitl's own work with a time limit; tool bodies use `engine/stop.ts`. The limit and an abort apply even
 * if the work ignores its signal. (A signal of `AbortSignal.timeout` inside `AbortSignal.any` may be
 * collected before it fires.)
 * @throws the error of `late`, the signal's reason after an abort, and the work's own errors.
 */
export async function withinTime<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
  { clock, ms, late }: TimeLimit,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  const scope = new AbortController();
  const stop = (): void => {
    scope.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  const limit = clock.sleep(ms, scope.signal).then(
    () => {
      const error = late();
      scope.abort(error);
      throw error;
    },
    () => {
      throw scope.signal.reason;
    },
  );
  try {
    return await Promise.race([work(scope.signal), limit]);
  } finally {
    signal.removeEventListener('abort', stop);
    scope.abort();
  }
}
