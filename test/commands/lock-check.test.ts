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

  test('warns where there is neither that nothing is written, and says how to get a lock', () => {
    expect(lockCheck(() => false)).toEqual({
      what: 'lock',
      status: 'warning',
      found: 'none: flock(1) and perl do not work on this machine, so sessions in a folder are read-only',
      hint: 'install util-linux or perl, or keep sessions in PostgreSQL',
    });
  });
});
