import { describe, expect, test } from 'vitest';

import { formatAge, formatCost, formatCount, formatDuration, formatUsage } from '../../src/render/index.js';
import { formatMoment } from '../../src/render/moment.js';

describe('a duration', () => {
  test.for<[number, string]>([
    [0, '0 ms'],
    [999, '999 ms'],
    [1000, '1 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [11_520_000, '3 h 12 min'],
    [432_000_000, '5 d'],
    [-5, '0 ms'],
    [NaN, '0 ms'],
  ])('of %d ms is %j', ([ms, words]) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

describe('an age', () => {
  const now = Date.parse('2026-01-10T12:00:00Z');
  test.for([
    ['2026-01-10T12:00:30Z', 'just now'],
    ['2026-01-10T11:59:30Z', 'just now'],
    ['2026-01-10T11:15:00Z', '45 min ago'],
    ['2026-01-10T09:00:00Z', '3 h ago'],
    ['2026-01-01T09:00:00Z', '9 d ago'],
    ['yesterday', 'unknown'],
  ])('since %s is %j', ([iso, words]) => {
    expect(formatAge(String(iso), now)).toBe(words);
  });
});

test.for([
  ['2026-01-02T03:04:05.678Z', '2026-01-02 03:04 UTC'],
  ['2026-01-02T03:04Z', '2026-01-02 03:04 UTC'],
  ['soon\u001B[2J', 'soon\\u{1B}[2J'],
])('the moment %j is %j', ([iso, words]) => {
  expect(formatMoment(String(iso))).toBe(words);
});

describe('cost and usage', () => {
  test.for<[number, string]>([
    [0, '$0'],
    [0.00001, '< $0.0001'],
    [0.0123, '$0.0123'],
    [12.345, '$12.35'],
  ])('%d US dollars are %j', ([cost, words]) => {
    expect(formatCost(cost)).toBe(words);
  });

  test.for<[number, string]>([
    [999, '999'],
    [1_234_567, '1,234,567'],
  ])('a count of %d is %j', ([count, words]) => {
    expect(formatCount(count)).toBe(words);
  });

  test('are one line, with what is known', () => {
    expect([
      formatUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 1, outputTokens: 2 }),
      formatUsage(
        { inputTokens: 1200, outputTokens: 2, cacheReadTokens: 1000, costUsd: 0.01 },
        { inputTokens: 5000, outputTokens: 9, costUsd: 0.05 },
      ),
    ]).toEqual(['1 in, 2 out', '1,200 in, 2 out, cache 83 %, $0.0100 (session $0.0500)']);
  });
});
