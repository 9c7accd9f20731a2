/** Time, as everything below the commands sees it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after a while; rejects with the signal's reason when it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /**
   * Puts the clock forward, or back where `ms` is less than 0: a store that several machines share has found out what
   * time counts. All that goes by this clock goes by that time then. @returns by how much it is put forward in all.
   * Default: whoever shares the store makes a clock of its own of this one.
   */
  correct?(ms: number): number;
  /** The clock that this one goes by: nothing puts it forward, so that it measures. Default: this one. */
  readonly basis?: Clock;
}

/** A clock that goes by another one's time, once somebody has found out what that is. */
export interface CorrectedClock extends Clock {
  readonly basis: Clock;
  correct(ms: number): number;
}

/** A clock that goes by `basis`, put forward by what is found out. */
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

/** The time that some work may take, and what is thrown where it takes longer. */
interface TimeLimit {
  readonly clock: Clock;
  readonly ms: number;
  readonly late: () => Error;
}

/**
 * Does work of the program itself that must end in time; bodies of tools have `engine/stop.ts`. The limit holds whatever the work makes of its signal, and so does an abort.
 * (A signal of `AbortSignal.timeout` inside `AbortSignal.any` may be collected before it fires.)
 * @throws what `late` gives, the signal's reason after an abort, and what the work throws.
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
