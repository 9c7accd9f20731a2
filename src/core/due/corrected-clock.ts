import type { Clock } from '../ports/index.js';

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
