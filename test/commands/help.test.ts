import { PassThrough } from 'node:stream';

import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Io } from '../../commands/host/io.js';
import { main } from '../../commands/program/main.js';
import { settingRows } from '../../commands/settings/settings.js';
import { fakeClock } from '../../src/testing/index.js';

const SETTINGS_NAMES = {
  variables: settingRows().flatMap(([, { variables = [] }]) => variables),
  keys: settingRows().flatMap(([key, { file }]) => (file === undefined ? [] : [key])),
};

async function says(...words: readonly string[]) {
  const streams = [new PassThrough(), new PassThrough()] as const;
  const [stdout, stderr] = streams as unknown as [NodeJS.WriteStream, NodeJS.WriteStream];
  const stdin = new PassThrough() as unknown as Io['stdin'];
  const place = { env: {}, cwd: '/', home: '/', pid: 1, clock: fakeClock(), random: () => 0.5 };
  const status = await main(words, { stdin, stdout, stderr, ...place });
  const [out, err] = streams.map((stream) => stream.setEncoding('utf8').read() as string | null);
  return { status, out, err };
}

describe('help', () => {
  const usual = process.exitCode;
  beforeEach(() => {
    process.exitCode = 13; // as the program has it until it ends
  });
  afterEach(() => {
    process.exitCode = usual;
  });

  test.for([
    [['help'], ['--help'], 'Usage: hitl '],
    [['help', 'chat'], ['chat', '--help'], 'Usage: hitl chat '],
    [['help', 'ls'], ['list', '--help'], 'Usage: hitl list|ls '],
    [['audit', 'help'], ['audit', '--help'], 'Usage: hitl audit '],
  ] as const)('that is asked for as %j is that of %j, and no error', async ([asked, flag, begin]) => {
    const { out } = await says(...flag);
    expect(out).toContain(begin);
    expect(await says(...asked)).toEqual({ status: 0, out, err: null });
  });

  test('is not what a group of commands gets, but a word of what is wrong', async () => {
    expect(await says('audit')).toEqual({
      status: 2,
      out: null,
      err: 'error: missing subcommand of `hitl audit`\nhint: see `hitl audit --help`\n',
    });
  });

  test.for([
    ['zzzzzzz', 'valid topics: commands, exit-codes, answers, configuration, environment'],
    ['exitcodes', 'did you mean `exit-codes`?'],
  ] as const)('on %s is not there, and what there is is told', async ([topic, hint]) => {
    expect(await says('help', topic)).toEqual({
      status: 2,
      out: null,
      err: `error: unknown help topic \`${topic}\`\nhint: ${hint}\n`,
    });
  });

  test('tells how a line answers a question', async () => {
    const { status, out } = await says('help', 'answers');
    expect(status).toBe(0);
    expect(out?.split('\n').slice(0, 3)).toEqual([
      'Answers on stdin, as arguments of `hitl answer`, and in --answers files:',
      '',
      '  y, yes, approve           run it as shown',
    ]);
    expect(out?.split('\n').filter((row) => row.length > 80)).toEqual([]);
  });

  test.for([
    ['environment', SETTINGS_NAMES.variables],
    ['configuration', SETTINGS_NAMES.keys],
  ] as const)('on %s has a row for each of them, in 80 columns', async ([topic, names]) => {
    const { status, out, err } = await says('help', topic);
    expect({ status, err }).toEqual({ status: 0, err: null });
    const rows = (out ?? '').split('\n');
    expect(names.filter((name) => !rows.some((row) => row.startsWith(`  ${name} `)))).toEqual([]);
    expect(rows.filter((row) => row.length > 80)).toEqual([]);
  });

  test('on environment says of each variable what that one does', async () => {
    const { out } = await says('help', 'environment');
    expect(out).toMatch(/^ {2}FORCE_COLOR +color: enable colors, even without a terminal$/mu);
    expect(out).toMatch(/^ {2}NO_COLOR +color: disable colors$/mu);
  });

  test('on why names a tool of the demo', async () => {
    expect((await says('why', '--help')).out).toContain('hitl why --last transfer_money');
  });
});
