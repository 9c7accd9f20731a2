import { setTimeout as sleepFor } from 'node:timers/promises';

import type { Clock } from '../core/index.js';

/** The clock of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await sleepFor(ms, undefined, { signal });
  },
};
