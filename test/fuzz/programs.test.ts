// Workflows as code: any program of operations, with deaths in several bodies at once, against a reference that knows no
// journal.
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { playProgram } from '../graph/workflow/programs/play-program.js';
import { programs } from '../graph/workflow/programs/program.js';
import { fuzzTarget } from './fuzz.js';

const schedules = fc.infiniteStream(fc.nat({ max: 0xffff }));

fuzzTarget('programs', {
  'O1, O2: comes to what it means, does nothing twice, and rests only with something open': {
    runs: 60,
    longRuns: 20_000,
    property: () =>
      fc.asyncProperty(programs, schedules, async (program, stream) => {
        await playProgram(program, (below) => (stream.next().value ?? 0) % below);
        return true;
      }),
  },
});

test('the programs of this target die on the way', async () => {
  let deaths = 0;
  for (const [program, stream] of fc.sample(fc.tuple(programs, schedules), { numRuns: 60, seed: 2811 }))
    deaths += await playProgram(program, (below) => (stream.next().value ?? 0) % below);
  expect(deaths).toBeGreaterThan(15);
});
