import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { programs } from './programs/program.js';
import { playProgram } from './programs/play-program.js';

/** As many as `npm test` has time for; the fuzz run plays more. */
const RUNS = 300;

describe('any program of operations, with deaths in several bodies at once', () => {
  test('O1, O2: comes to what it means, does nothing twice, and rests only with something open', async () => {
    let deaths = 0;
    await fc.assert(
      fc.asyncProperty(programs, fc.infiniteStream(fc.nat({ max: 0xffff })), async (program, stream) => {
        deaths += await playProgram(program, (below) => (stream.next().value ?? 0) % below);
      }),
      { numRuns: RUNS, seed: 2811 },
    );
    expect(deaths).toBeGreaterThan(RUNS / 4);
  });
});
