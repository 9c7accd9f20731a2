import { afterEach, describe, expect, test, vi } from 'vitest';

import { main } from '../../commands/program/main.js';
import { runQuickly } from '../../commands/program/quick-command.js';
import { processIo } from '../../commands/host/index.js';

/** What each command was given. */
const ran = vi.hoisted(() => [] as unknown[]);
const handler = vi.hoisted(() => (_io: unknown, given: readonly unknown[], flags: unknown) => {
  ran.push({ given, flags });
  return Promise.resolve(3);
});
vi.mock('../../commands/inbox.js', () => ({ inbox: handler }));
vi.mock('../../commands/answer.js', () => ({ answer: handler }));

describe('a command that is run without the library that parses flags', () => {
  afterEach(() => {
    ran.length = 0;
    vi.doUnmock('../../commands/program/quick-command.js');
    vi.resetModules();
  });

  /** Runs the program as if no command were run quickly. */
  async function parsed(argv: readonly string[]) {
    vi.doMock('../../commands/program/quick-command.js', () => ({ runQuickly: () => Promise.resolve() }));
    vi.resetModules();
    const whole = await import('../../commands/program/main.js');
    return whole.main(argv);
  }

  test.for([
    [['inbox']],
    [['inbox', '--json']],
    [['inbox', '--quiet', '--no-color', '--verbose', '--no-input']],
    [['answer', '01k', 'y']],
    [['answer', '01k', 'y', '--digest', '3db9c6df']],
    [['answer', '01k', 'n', 'use the', 'savings account']],
    [['answer', '', 'edit {"a": 1}']],
  ] as const)('is given the same by %j, with the same status', async ([argv]) => {
    const statuses = [await runQuickly(processIo(), argv), await main(argv), await parsed(argv)];
    expect(statuses).toEqual([3, 3, 3]);
    const [quick, byMain, byParser] = ran;
    expect([quick, byMain]).toEqual([byParser, byParser]);
  });

  test.for([
    [['inbox', '--limit', '3']],
    [['inbox', 'more']],
    [['inbox', '--help']],
    [['answer']],
    [['answer', '01k']],
    [['answer', '01k', '--run', 'y']],
    [['answer', '01k', 'y', '--digest']],
    [['answer', '--digest', '3db9c6df']],
    [['answer', '01k', '-1']],
    [['answer', '--last', 'y']],
    [['list']],
    [['chat', 'y', 'y']],
    [[]],
  ] as const)('is none of %j', async ([argv]) => {
    expect(await runQuickly(processIo(), argv)).toBe(undefined);
    expect(ran).toEqual([]);
  });
});
