import { describe, expect, test } from 'vitest';

import { KNOWN_MODELS } from '../../src/models/anthropic/known-models.js';
import { costOf } from '../../src/models/anthropic/billed-usage.js';

const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 };
const million = 1_000_000;

describe('the price of a reply', () => {
  test.for([
    ['claude-sonnet-4-6', 3],
    ['claude-sonnet-4-5-20250929', 3],
    ['claude-opus-4-0', 15],
    ['claude-opus-4-20250514', 15],
    ['claude-haiku-4-5', 1],
    ['claude-3-opus-20240229', undefined],
    ['constructor', undefined],
    ['llama3', undefined],
  ] as [string, number | undefined][])('of a million tokens in to %s is %j', ([model, usd]) => {
    expect(costOf(model, { ...none, input: million })).toBe(usd);
  });

  test('counts each kind of token', () => {
    const kinds = (['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteHour'] as const).map((kind) =>
      costOf('claude-opus-5-5', { ...none, [kind]: million }),
    );

    expect(kinds).toEqual([4, 20, 0.2, 5, 8]);
  });

  test('rises for every token of a long prompt, where the model has such a price', () => {
    const short = { ...none, input: 50_000, cacheRead: 50_000, output: 1000 };

    expect(costOf('claude-haiku-5-5', short)).toBe(0.006);
    expect(costOf('claude-haiku-5-5', { ...short, input: 50_001 })).toBe(0.0300005);
  });

  test('is known for every model that may be suggested', () => {
    for (const model of KNOWN_MODELS) expect(costOf(model, none)).toBe(0);
  });
});
