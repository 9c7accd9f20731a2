// What was shown is what runs: each body that is entered, against every question about it and every answer to them.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { fuzzTarget } from './fuzz.js';
import { PlanDriver } from './plan-driver.js';
import { planSteps } from './plan-steps.js';
import { PlanTools } from './plan-world.js';

fuzzTarget('plans', {
  'whatever body is entered, the last question about it that was answered with yes showed this plan (G11, G12)':
    {
      runs: 100,
      longRuns: 20_000,
      property: () => {
        const tools = new PlanTools();
        return fc.asyncProperty(planSteps(), async (steps) => {
          expect(await new PlanDriver(tools).play(steps)).toEqual([]);
          return true;
        });
      },
    },
});

test('the sessions of this target enter bodies that somebody had to agree to', async () => {
  const tools = new PlanTools();
  let judged = 0;
  for (const steps of fc.sample(planSteps(), { numRuns: 80, seed: 1 })) {
    const driver = new PlanDriver(tools);
    await driver.play(steps);
    judged += driver.judged;
  }
  expect(judged).toBeGreaterThan(30);
});
