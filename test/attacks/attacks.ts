// Attacks as tests: each row tries to break a law with the built program, in a temporary world of its own.
import { describe, inject, test } from 'vitest';

import type { Verdict } from './verdict.js';
import { World } from './world.js';

/** One attack: what is tried, and how it is seen whether the law held. */
export interface Attack {
  /** A letter and a number; a small letter after them where one number has several. */
  readonly id: string;
  /** One line that says what is tried. */
  readonly tried: string;
  /** How long it may take in all, in milliseconds; by default what the project of these tests says. */
  readonly limitMs?: number;
  /** Whether it needs a process of its own for each run, also in the short form: it attacks what a start loads. */
  readonly isCold?: boolean;
  run(world: World): Promise<Verdict>;
}

/** Runs a group of attacks. A row is picked with `npm run attack -- -t A2`. */
export function attacks(group: string, rows: readonly Attack[]): void {
  describe(group, () => {
    for (const { id, tried, limitMs, isCold = false, ...attack } of rows) {
      test.concurrent(
        `${id} ${tried}`,
        { ...(limitMs !== undefined && { timeout: limitMs }) },
        async (context) => {
          await using world = new World(inject('program'), isCold);
          const { type, evidence } = await attack.run(world);
          context.skip(type === 'skipped', evidence);
          if (type === 'broken') throw new Error(evidence);
        },
      );
    }
  });
}
