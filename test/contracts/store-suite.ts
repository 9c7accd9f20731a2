import { afterAll, describe, expect, test } from 'vitest';

import type { StoreUnderTest } from '../../src/testing/index.js';
import { sessionStoreCases } from '../../src/testing/index.js';

/** Tries every promise of the port on a store, and prints how many there were. */
export function describeStore(name: string, make: () => StoreUnderTest, leftOut: number): void {
  describe(`${name} as a session store`, () => {
    const count = { held: 0, 'left-out': 0 };

    afterAll(() => {
      // oxlint-disable-next-line no-console -- how many promises were tried is what this suite is asked for
      console.log(`${name}: ${count.held} promises held, ${count['left-out']} left out`);
      expect(count).toEqual({ held: sessionStoreCases.length - leftOut, 'left-out': leftOut });
    });

    for (const { title, run } of sessionStoreCases) {
      test(title, async () => {
        count[await run(make())] += 1;
      });
    }
  });
}
