import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { ReplyEnd, Usage } from '../../src/core/index.js';
import { addUsage, finishReasonOf, NO_USAGE } from '../../src/core/index.js';

const usages = (): fc.Arbitrary<Usage> =>
  fc.record(
    {
      inputTokens: fc.nat(),
      outputTokens: fc.nat(),
      cacheReadTokens: fc.nat(),
      cacheWriteTokens: fc.nat(),
      costUsd: fc.nat(),
    },
    { requiredKeys: ['inputTokens', 'outputTokens'] },
  );

describe('usage', () => {
  test('adds up, and leaves out what neither side knows', () => {
    expect(addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, outputTokens: 4 })).toEqual({
      inputTokens: 4,
      outputTokens: 6,
    });
    expect(
      addUsage(
        { inputTokens: 1, outputTokens: 2, cacheReadTokens: 0, costUsd: 0.5 },
        { inputTokens: 3, outputTokens: 4, cacheWriteTokens: 7, costUsd: 0.25 },
      ),
    ).toEqual({ inputTokens: 4, outputTokens: 6, cacheReadTokens: 0, cacheWriteTokens: 7, costUsd: 0.75 });
  });

  test('adds up to the cost of the part whose price is known', () => {
    const priced = { inputTokens: 1, outputTokens: 2, costUsd: 0.5 };
    expect(addUsage(priced, { inputTokens: 3, outputTokens: 4 })).toEqual({
      inputTokens: 4,
      outputTokens: 6,
      costUsd: 0.5,
    });
    expect(addUsage(NO_USAGE, priced)).toEqual(priced);
  });

  test('in any order and grouping is the same', () => {
    fc.assert(
      fc.property(usages(), usages(), usages(), (a, b, c) => {
        expect(addUsage(a, addUsage(b, c))).toEqual(addUsage(addUsage(a, b), c));
        expect(addUsage(a, b)).toEqual(addUsage(b, a));
        expect(addUsage(a, NO_USAGE)).toEqual(a);
      }),
    );
  });
});

describe("Genkit's word for the end of a reply", () => {
  test.for<[ReplyEnd, string]>([
    ['stop', 'stop'],
    ['tool-use', 'stop'],
    ['length', 'length'],
    ['context-window', 'length'],
    ['refusal', 'blocked'],
    ['paused', 'other'],
    ['other', 'other'],
  ])('%s is %s', ([end, word]) => {
    expect(finishReasonOf(end)).toBe(word);
  });
});
