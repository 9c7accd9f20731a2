/** The time source for all code except the commands. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason if it aborts first. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Adjusts the clock by `ms`, to match a shared store whose time is authoritative. Affects everything that
   * uses this clock. If absent, a shared store wraps this clock in one that it can adjust.
   * @returns the total adjustment
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

/** Returns a clock that runs with `basis`, at an adjustable offset. */
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

/** A time limit, and the error to throw when it is exceeded. */
interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly late: () => Error;
}

/**
 * Runs hitl's own work with a time limit; tool bodies use `engine/stop.ts` instead. The limit and an abort
 * take effect even if the work ignores its signal. Does not use `AbortSignal.timeout`, because inside
 * `AbortSignal.any` it may be garbage-collected before it fires.
 * @throws the error from `late` if the limit is exceeded, the signal's reason after an abort, and the errors
 * of the work itself.
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
