import { PassThrough } from 'node:stream';

import { describe, expect, test } from 'vitest';

import { completionOf } from '../../commands/completion/completion.js';
import type { Io } from '../../commands/host/index.js';
import { buildProgram } from '../../commands/program/main.js';
import { fakeClock } from '../../src/testing/index.js';

const stream = Object.assign(new PassThrough(), { isTTY: false, columns: 80, rows: 24 });
const io = {
  ...{ stdin: stream, stdout: stream, stderr: stream },
  ...{ env: {}, cwd: '/', home: '/none', pid: 1, clock: fakeClock(), random: () => 0.5 },
} as unknown as Io;
const { command: program } = buildProgram(io, '0');

/** What the words may become: the words that are offered, or the placeholder whose values are. */
function offered(...words: string[]): readonly string[] | string {
  const found = completionOf(program, words);
  const current = words.at(-1) ?? '';
  return found.type === 'value'
    ? found.of
    : found.words.map(({ word }) => word).filter((word) => word.startsWith(current));
}

describe('a completion', () => {
  test('offers every command that people type, and none that is hidden', () => {
    const all = offered('');
    expect(all).toEqual(
      program.commands.map((command) => command.name()).filter((name) => !name.startsWith('__')),
    );
    expect(offered('aud')).toEqual(['audit']);
  });

  test.for([
    [
      ['rules', ''],
      ['list', 'add', 'remove', 'test'],
    ],
    [['audit', 'v'], ['verify']],
    [['export', '01x', '--fo'], ['--format']],
    [
      ['run', '--on-interrupt', ''],
      ['ask', 'stop', 'deny'],
    ],
    [['run', '--on-interrupt=s'], ['--on-interrupt=stop']],
    [['run', '--on-interrupt', '=', 's'], ['stop']],
    [
      ['export', '01x', '--format', ''],
      ['json', 'genkit', 'anthropic', 'markdown'],
    ],
    [['nothing', ''], []],
    [['list', ''], []],
    [['export', '01x', ''], []],
  ] as const)('after %j offers %j', ([words, expected]) => {
    expect(offered(...words)).toEqual(expected);
  });

  test.for([
    [['resume', ''], 'id'],
    [['rm', '01x', ''], 'id'],
    [['show', '--effects', ''], 'id'],
    [['audit', 'verify', ''], 'id'],
    [['run', ''], 'flow'],
    [['import', ''], 'file'],
    [['chat', '--tools', 'a.ts', ''], 'module'],
    [['chat', '--model', ''], 'spec'],
    [['chat', '-m', ''], 'spec'],
    [['chat', '--sessions', ''], 'dir'],
    [['completion', ''], 'shell'],
    [['rules', 'add', ''], 'effect'],
    [['rules', 'add', 'allow', ''], 'rule'],
    [['rules', 'test', ''], 'tool'],
    [['chat', '--', ''], 'prompt'],
  ] as const)('after %j asks for a value of %s', ([words, expected]) => {
    expect(offered(...words)).toBe(expected);
  });

  test('goes on with flags behind a flag that takes several values', () => {
    expect(offered('chat', '--tools', 'a.ts', '--sand')).toEqual(['--sandbox']);
  });
});
