// A session on a machine where anything may happen, against a model of what must hold all the same.
import fc from 'fast-check';
import { expect } from 'vitest';

import { fuzzTarget } from './fuzz.js';
import { SessionDriver } from './session-driver.js';
import { sessionSteps } from './session-steps.js';

fuzzTarget('session', {
  'keeps its promises after every step, and comes to its end (G1, G2, G9 to G11, G14 to G16, G19, G20, G23, G25)':
    {
      runs: 50,
      property: () =>
        fc.asyncProperty(sessionSteps(), async (steps) => {
          using driver = new SessionDriver();
          expect(await driver.play(steps)).toEqual([]);
          return true;
        }),
    },
});
