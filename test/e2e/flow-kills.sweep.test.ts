import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { EXAMPLES } from '../helpers/example.js';
import type { KilledFlow, Person } from '../helpers/kill-loop.js';
import { answered, hasBegun, killLoop, lastOf, linesOf, lookedUp } from '../helpers/kill-loop.js';
import { ranBy } from '../helpers/program.js';

interface Played {
  readonly example: string;
  /** What it is started with. */
  readonly args: readonly string[];
  readonly person: Person;
}

/** A flow that is played with the program alone. */
function played({ example, args, person }: Played): Pick<KilledFlow, 'name' | 'live'> {
  const flow = join(EXAMPLES, example, 'flow.ts');
  return {
    name: example,
    live: (home, env) => {
      const words = hasBegun(home) ? ['resume', lastOf(home) ?? ''] : ['run', flow, ...args];
      return answered(home, [...words, '--trust'], person, env);
    },
  };
}

const DEPLOY: KilledFlow = {
  ...played({
    example: 'deploy',
    args: ['--set', 'hosts=["a","b","c","d"]'],
    person: ({ kind, payload }, home) => {
      const { question = '', step = '', of = '' } = payload as Readonly<Record<string, string>>;
      if (kind === 'gate') return 'y';
      if (kind === 'in-doubt') {
        const effect = step.startsWith('roll back') ? `roll back ${of}` : `deploy 7 to ${of}`;
        return lookedUp(linesOf(home, 'deployed.txt'), effect);
      }
      return question.includes('version') ? '{"version":"7"}' : String(!question.includes('c, d'));
    },
  }),
  // The hosts of a batch are at work at once, so their order is anybody's.
  effects: (home) => {
    const done = linesOf(home, 'deployed.txt');
    return [...done.slice(0, 2).toSorted(), ...done.slice(2, 4).toSorted(), ...done.slice(4)];
  },
};

/** A program with the library, in which several people decide: it goes on by itself when it is started again. */
const EXPENSE: KilledFlow = {
  name: 'expense',
  live: (home, env) =>
    ranBy(
      spawn(process.execPath, ['--import', 'tsx', join(EXAMPLES, 'expense/main.ts')], {
        env: { ...home.env, SESSIONS: home.sessions, LEDGER: join(home.path, 'ledger.txt'), ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: 120_000,
      }),
    ),
  effects: (home) => linesOf(home, 'ledger.txt'),
};

test.each([
  ['W31: the deploy workflow', DEPLOY],
  ['an expense that people vote on', EXPENSE],
])(
  '%s, killed at each record, comes to the same end with each effect once',
  async (_title, flow) => {
    const { wrong, kills, doubts } = await killLoop(flow);
    expect(wrong).toEqual([]);
    expect(kills).toBeGreaterThanOrEqual(10);
    expect(doubts).toBeGreaterThan(0);
  },
  3_600_000,
);
