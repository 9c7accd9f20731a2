import { describe, expect, test } from 'vitest';

import { lockCheck } from '../../commands/report/checks.js';

describe('hitl doctor', () => {
  test('names flock(1) where it works', () => {
    expect(lockCheck(() => true)).toEqual({ what: 'lock', status: 'ok', found: 'flock(1)' });
  });

  test('names perl where there is no flock(1), as on macOS', () => {
    expect(lockCheck(({ program }) => program === 'perl')).toEqual({
      what: 'lock',
      status: 'ok',
      found: 'flock(2) by perl',
    });
  });

  test('warns of the pid file where there is neither, and says how to get a lock', () => {
    expect(lockCheck(() => false)).toMatchObject({
      status: 'warning',
      found: expect.stringContaining('a pid file'),
      hint: expect.stringContaining('install util-linux'),
    });
  });
});
