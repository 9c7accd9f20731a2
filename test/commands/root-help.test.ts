import { PassThrough } from 'node:stream';

import { describe, expect, test } from 'vitest';

import type { Io } from '../../commands/host/index.js';
import { mayOfferTour, buildProgram } from '../../commands/program/main.js';
import { COMMAND_GROUPS, commandsHelp, rootHelp } from '../../commands/help/root-help.js';
import { fakeClock } from '../../src/testing/index.js';

function ioOf(env: Io['env'] = {}, isTTY = true): Io {
  const stream = Object.assign(new PassThrough(), { isTTY, columns: 80, rows: 24 });
  const place = { env, cwd: '/', home: '/none', pid: 1, clock: fakeClock(), random: () => 0.5 };
  return { stdin: stream, stdout: stream, stderr: stream, ...place } as unknown as Io;
}

describe('the help of the program', () => {
  test.for([80, 60])('fits a screen of 24 rows with %i columns', (columns) => {
    const rows = rootHelp(columns).trimEnd().split('\n');
    expect(rows.length).toBeLessThanOrEqual(columns === 80 ? 24 : 40);
    expect(rows.filter((row) => row.length > columns)).toEqual([]);
  });

  test('has every command in one of its five groups, once', () => {
    const names = buildProgram(ioOf(), '0')
      .command.commands.map((command) => command.name())
      .filter((name) => !name.startsWith('__') && name !== 'help');
    expect(Object.values(COMMAND_GROUPS).flat().sort()).toEqual([...names].sort());
    expect(Object.keys(COMMAND_GROUPS)).toHaveLength(5);
  });

  test('tells of each command on request', () => {
    const { command } = buildProgram(ioOf(), '0');
    const help = commandsHelp(command, 80);
    const shown = command.commands.filter((one) => !one.name().startsWith('__') && one.name() !== 'help');
    for (const one of shown)
      expect(help.replace(/\s+/g, ' ')).toContain(`${one.name()} ${one.description()}`);
    expect(help.split('\n').filter((row) => row.length > 80)).toEqual([]);
  });
});

describe('the tour', () => {
  test.for([
    ['a person at a terminal who was never here', {}, true, true],
    ['a pipe', {}, false, false],
    ['a machine that tests', { CI: '1' }, true, false],
    ['a terminal that can draw nothing', { TERM: 'dumb' }, true, false],
  ] as const)('is offered to %s: %j %j: %j', ([, env, isTTY, isOffered]) => {
    expect(mayOfferTour(ioOf({ HITL_HOME: '/none/such', ...env }, isTTY))).toBe(isOffered);
  });
});
