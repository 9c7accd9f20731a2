import { describe, expect, test } from 'vitest';

import type { JsonObject, JsonValue } from '../../../src/core/index.js';
import { alwaysOffers, NOT_BY_PATTERN, NOT_BY_WORDS, SESSION_SIZES } from '../../../src/core/index.js';

const PLACE = { folder: '/shop', home: '/home/ann' };

/** Each size that is offered, with the rule that would be kept for it. */
function offers(name: string, input: JsonValue, facts: JsonObject): readonly (readonly [string, string])[] {
  return alwaysOffers(SESSION_SIZES, { name, input, payload: { facts } }, PLACE).map(({ size, rule }) => [
    size,
    rule?.text ?? 'none',
  ]);
}

const command = (...argv: readonly string[]) =>
  offers('run_command', { argv }, { 'working directory': '/shop' }).filter(([size]) => size === 'words');

describe('the sizes in which a question can be approved', () => {
  test('are those that there are at the call, each with the rule that says the same', () => {
    expect([
      offers('write_file', { path: 'docs/a', content: '' }, { path: '/shop/docs/a' }),
      offers('fetch_url', { url: 'https://example.org/' }, { host: 'example.org' }),
      offers('pay', { to: 'ann' }, {}),
    ]).toEqual([
      [
        ['call', 'allow write_file {"path":"docs/a","content":""}'],
        ['folder', 'allow write_file /shop/docs/**'],
        ['tool', 'allow write_file'],
      ],
      [
        ['call', 'allow fetch_url {"url":"https://example.org/"}'],
        ['host', 'allow fetch_url example.org'],
        ['tool', 'allow fetch_url'],
      ],
      [
        ['call', 'allow pay {"to":"ann"}'],
        ['tool', 'allow pay'],
      ],
    ]);
  });

  test.for<readonly [readonly string[], string | undefined]>([
    [['git', 'status', '-s'], 'allow run_command git status …'],
    [['ls', '-l'], 'allow run_command ls …'],
    [['npm', 'run', 'test', '--', '-x'], 'allow run_command npm run test …'],
    [['npm', 'run'], undefined],
    [['npm', 'exec', '--', 'x'], undefined],
    [['rm', 'x'], undefined],
    [['/bin/RM', 'x'], undefined],
    [['sudo', 'ls'], undefined],
    [['python3', 'x.py'], undefined],
    [['/usr/bin/python3.12', 'x.py'], undefined],
    [['PHP8.2', 'x.php'], undefined],
    [['nodejs', 'x.js'], undefined],
    [['stdbuf', '-o0', 'sh', 'x'], undefined],
    [['time', 'sh', 'x'], undefined],
    [['x264', 'a'], 'allow run_command x264 a …'],
    [['bash', '-c', 'ls'], undefined],
    [['npx', 'eslint'], undefined],
  ])('by first words of %j is %s', ([argv, rule]) => {
    expect(command(...argv)).toEqual(rule === undefined ? [] : [['words', rule]]);
  });

  test('leave out what only a whole call, or a whole tool, can say', () => {
    const keys = { path: '/shop/.env', [NOT_BY_PATTERN]: 'ignored: keys' };
    const elsewhere = {
      'working directory': '/shop',
      [NOT_BY_WORDS]: 'ignored: a program of the folder',
    };
    expect([
      offers('read_file', { path: '.env' }, keys),
      offers('run_command', { argv: ['./x'] }, elsewhere),
      offers('run_command', { command: 'ls > x' }, { 'working directory': '/shop' }).map(([size]) => size),
      offers('write_file', { path: 'a' }, { path: '/shop/*/a' }).map(([size]) => size),
    ]).toEqual([
      [
        ['call', 'allow read_file {"path":".env"}'],
        ['tool', 'allow read_file'],
      ],
      [
        ['call', 'none'],
        ['tool', 'allow run_command'],
      ],
      ['call', 'tool'],
      ['call', 'folder', 'tool'],
    ]);
  });
});
