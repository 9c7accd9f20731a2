import { describe, expect, test } from 'vitest';

import type { JsonValue, SessionSize } from '../../../src/core/index.js';
import { coversCall, NOT_BY_WORDS, sessionRuleText, sessionScope } from '../../../src/core/index.js';

interface Call {
  readonly name: string;
  readonly input: JsonValue;
  readonly payload: JsonValue;
}

const call = (name: string, input: JsonValue, facts: object = {}, more: object = {}): Call => ({
  name,
  input,
  payload: { facts: { ...facts }, ...more },
});
const command = (...argv: readonly string[]): Call =>
  call('run_command', { argv }, { 'working directory': '/work' });
const read = (path: string, more: object = {}): Call => call('read_file', { path: 'x' }, { path }, more);
const fetched = (host: string): Call => call('fetch_url', { url: 'x' }, { host });

function covers(size: Exclude<SessionSize, 'tool'>, first: Call, later: Call): boolean {
  const scope = sessionScope(size, first);
  return coversCall({ effect: 'allow', tool: first.name, toolDigest: '', ...(scope && { scope }) }, later);
}

const LS = command('ls', '-l');
const ELSEWHERE = call('run_command', LS.input, { 'working directory': '/other' });
const BY_OTHER = call(
  'run_command',
  { argv: ['git', 'status'] },
  { 'working directory': '/work', [NOT_BY_WORDS]: 'do not count' },
);

describe('what was approved for the rest of a session', () => {
  test.for<readonly [Exclude<SessionSize, 'tool'>, Call, Call, boolean]>([
    ['call', LS, LS, true],
    ['call', LS, command('ls', '-l', 'x'), false],
    ['call', LS, ELSEWHERE, false],
    ['call', LS, { ...LS, payload: { facts: { 'working directory': '/work' }, warnings: ['w'] } }, false],
    ['call', LS, { ...LS, name: 'other' }, false],
    ['words', command('git', 'status'), command('git', 'status', '-s'), true],
    ['words', command('git', 'status'), command('git', 'push'), false],
    ['words', command('git', 'status'), BY_OTHER, false],
    ['words', command('git', 'status'), call('run_command', { command: 'git status; rm x' }), false],
    [
      'words',
      command('git', 'status'),
      call('run_command', { argv: ['git', 'status'], network: true }),
      false,
    ],
    ['folder', read('/data/a'), read('/data/deep/b'), true],
    ['folder', read('/data/a'), read('/database/b'), false],
    [
      'folder',
      read('/data/a'),
      read('/data/.env', { warnings: ['files like this often contain keys'] }),
      false,
    ],
    ['host', fetched('example.org'), fetched('example.org'), true],
    ['host', fetched('example.org'), fetched('evil.example.org'), false],
  ])('as %s by %j covers %j: %s', ([size, first, later, expected]) => {
    expect(covers(size, first, later)).toBe(expected);
  });

  test.for<readonly [Exclude<SessionSize, 'tool'>, Call]>([
    ['words', call('run_command', { command: 'ls; rm x' })],
    ['words', read('/data/a')],
    ['folder', LS],
    ['folder', read('/a')],
    ['host', LS],
  ])('is not offered as %s where there is none: %j', ([size, shown]) => {
    expect(sessionScope(size, shown)).toBeUndefined();
  });

  test('is told in words, with what it is about', () => {
    const text = (size: Exclude<SessionSize, 'tool'>, { name, ...shown }: Call): string => {
      const scope = sessionScope(size, { name, ...shown });
      return sessionRuleText({ tool: name, ...(scope && { scope }) });
    };
    expect([
      sessionRuleText({ tool: 'pay' }),
      text('call', LS),
      text('words', command('git', 'status')),
      text('words', LS),
      text('folder', read('/data/a')),
      text('host', fetched('example.org')),
    ]).toEqual([
      'always pay',
      'always run_command, exactly this call: {"argv":["ls","-l"]}',
      'always run_command git status …',
      'always run_command ls …',
      'always read_file below /data',
      'always fetch_url at example.org',
    ]);
  });
});
