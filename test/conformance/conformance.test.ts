import { describe, expect, test } from 'vitest';

import type { ConformanceCase } from './case.js';
import { LOOP } from './cases/a-loop.js';
import { INTERRUPTING } from './cases/b-interrupting.js';
import { RESPOND } from './cases/c-respond.js';
import { RESTART } from './cases/d-restart.js';
import { MIXED } from './cases/e-mixed.js';
import { SESSIONS } from './cases/f-sessions.js';
import { runCase } from './run-case.js';
import { SessionWorld } from './session-world.js';

const sections: readonly (readonly [string, readonly ConformanceCase[]])[] = [
  ['A: the loop without interrupts', LOOP],
  ['B: interrupting', INTERRUPTING],
  ['C: respond', RESPOND],
  ['D: restart', RESTART],
  ['E: mixed, partial, invalid', MIXED],
];

const LAST = 92;
const played: number[] = [];

function titleOf(each: { number: number; title: string; decision?: string }): string {
  return `case ${each.number}: ${each.title}${each.decision === undefined ? '' : ` [${each.decision}]`}`;
}

for (const [section, cases] of sections) {
  describe(section, () => {
    for (const each of cases) {
      test(titleOf(each), async () => {
        await runCase(each);
        if (each.number === 32) {
          for (const other of [...RESPOND, ...RESTART, ...MIXED]) await runCase(other, 'memory');
        }
        played.push(each.number);
      });
    }
  });
}

describe('F: sessions', () => {
  for (const each of SESSIONS) {
    test(titleOf(each), async () => {
      const world = new SessionWorld();
      try {
        await each.play(world);
      } finally {
        world.remove();
      }
      played.push(each.number);
    });
  }
});

describe('the list of cases', () => {
  test('has every number once, and all of them passed', () => {
    const wanted = Array.from({ length: LAST }, (_, index) => index + 1);
    const done = [...played].sort((left, right) => left - right);
    // oxlint-disable-next-line no-console -- the count is what this suite is asked for
    console.log(`conformance: ${new Set(done).size} of ${LAST} cases`);
    expect(done).toEqual(wanted);
  });
});
