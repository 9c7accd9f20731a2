import { describe, expect, test } from 'vitest';

import { saveFailed, unreadable } from '../../sessions/disk/errno.js';
import { errnoOf, HitlError } from '../../src/core/index.js';
import { errnoError } from './faulty-file-system.js';

test.for([
  [errnoError('ENOSPC'), 'ENOSPC'],
  [new Error('no code'), undefined],
  [Object.assign(new Error('a number'), { code: 28 }), undefined],
  [new HitlError('SAVE_FAILED', 'one of ours'), undefined],
  ['not even an error', undefined],
  [undefined, undefined],
] as const)('the errno of %o is %s', ([thrown, errno]) => {
  expect(errnoOf(thrown)).toBe(errno);
});

describe('an error of the system', () => {
  test.for([
    'ENOSPC',
    'EDQUOT',
    'EIO',
    'EROFS',
    'EFBIG',
    'EMFILE',
    'ENFILE',
    'EACCES',
    'EPERM',
    'ENOTDIR',
    'ENOENT',
  ])('%s has words of its own, and a hint (G6)', (errno) => {
    const { message, hint } = saveFailed('it', errnoError(errno));
    expect(message).toMatch(/^could not save it: /);
    expect(message).not.toContain('injected');
    expect(hint).not.toBe('the write was not confirmed; try again');
  });

  test('that has none keeps its own', () => {
    expect(saveFailed('it', errnoError('EWEIRD'))).toMatchObject({
      message: 'could not save it: EWEIRD: injected',
      hint: 'the write was not confirmed; try again',
      detail: { errno: 'EWEIRD' },
    });
  });

  test('while reading says whether it is about permissions', () => {
    for (const errno of ['EACCES', 'EPERM']) {
      expect(unreadable('it', errnoError(errno))).toMatchObject({ hint: 'check its owner and mode' });
    }
    expect(unreadable('it', errnoError('EIO'))).toMatchObject({
      code: 'SESSION_UNREADABLE',
      hint: 'check the disk, then try again',
      detail: { errno: 'EIO' },
    });
    expect(unreadable('the sessions in `x`', errnoError('ENOTDIR'))).toMatchObject({
      message: 'could not read the sessions in `x`: not a folder',
      hint: 'specify a folder with --sessions',
    });
    expect(unreadable('it', new Error('odd'))).toMatchObject({ detail: { errno: null } });
  });
});
