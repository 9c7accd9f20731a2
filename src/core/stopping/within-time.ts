import type { Clock } from '../ports/index.js';

/** The time that some work may take, and what is thrown where it takes longer. */
export interface TimeLimit {
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
