import { afterAll, describe, expect, test } from 'vitest';

import { masked } from '../helpers/documents.js';
import type { Ran, RunOptions } from '../helpers/program.js';
import { Home, lines } from '../helpers/program.js';

/** Most tests run commands in one process that has loaded the program: each here is run in a process of its own too. */
const RUNS: readonly (readonly [readonly string[], RunOptions?])[] = [
  [['--version']],
  [['chat', '-p', 'Transfer 200 to ABC123']],
  [['chat', '-p', 'What is my balance?', '--output-format', 'stream-json']],
  [['chat', '--quiet'], { input: lines('Transfer 300 to DEF456', 'edit +{"amount":1}') }],
  [['list']],
  [['inbox', '--json']],
  [['chat', '-p', 'hi', '--model', 'nobody:x']],
  [['chat', '--nope']],
  [['show', 'nothing']],
  [['help', 'exit-codes']],
];

/** What was printed, without what differs between two sessions. */
function told({ status, stdout, stderr }: Ran): string {
  const text = [status, stdout, stderr].join('\n');
  return masked(text.replaceAll(/\b[0-9a-f]{64}\b/g, '<digest>').replaceAll(/"pid":\d+/g, '"pid":0'));
}

describe('a command in a process that has loaded the program', () => {
  const [warm, alone] = [new Home(), new Home()];
  afterAll(() => {
    warm[Symbol.dispose]();
    alone[Symbol.dispose]();
  });

  test.for(RUNS)(
    '%j says what it says in a process of its own, with the same status',
    async ([args, options]) => {
      const expected = told(await alone.runAlone(args, options));
      expect(told(await warm.run(args, options))).toBe(expected);
    },
  );
});
