import { setTimeout as sleepFor } from 'node:timers/promises';

import type { Clock } from '../core/index.js';

/** This machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await sleepFor(ms, undefined, { signal });
    } catch (thrown) {
      signal.throwIfAborted(); // its reason, and not Node's own error with the reason as a cause
      throw thrown;
    }
  },
};
