import { describe, expect, test } from 'vitest';

import { durationMs, exactDuration } from '../../src/core/index.js';

describe('a duration', () => {
  test.for([
    ['90', 90_000],
    ['1.5', 1_500],
    ['90s', 90_000],
    ['5m', 300_000],
    ['5 min', 300_000],
    ['1h30m', 5_400_000],
    ['1h 30m', 5_400_000],
    ['1d2h', 93_600_000],
    ['500ms', 500],
  ] as const)('is read from %s', ([text, ms]) => {
    expect(durationMs(text)).toBe(ms);
  });

  test.for([
    [5_400_000, '1h30m'],
    [93_600_000, '1d2h'],
    [90_500, '1m30s500ms'],
    [1, '1ms'],
  ] as const)('of %d ms is written so that it is read as the same', ([ms, text]) => {
    expect([exactDuration(ms), durationMs(text)]).toEqual([text, ms]);
  });

  test.for([
    '',
    '0',
    '0s',
    '-5m',
    '5x',
    'm',
    '30m1h',
    '5m5m',
    '5m ',
    ' 5m',
    '5m30',
    '1e9',
    '1h,5m',
    '36526d',
    '99999999999d',
  ])('is not read from `%s`', (text) => {
    expect(durationMs(text)).toBeUndefined();
  });
});
