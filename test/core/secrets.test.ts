import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { isDeeperThan, maskJson, maskText, MAX_DEPTH, parseStrictJson } from '../../src/core/index.js';
import type { JsonValue } from '../../src/core/index.js';

const KEY = 'sk-ant-0123456789abcdefghij';

describe('G33 masking', () => {
  test.for([
    [KEY],
    [`ghp_${'a1'.repeat(18)}`],
    ['AKIAIOSFODNN7EXAMPLE'],
    [`glpat-${'x'.repeat(20)}`],
    [`xoxb-${'1'.repeat(12)}`],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlMTIz'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----'],
  ])('masks %s whole, and counts it', ([key]) => {
    expect(maskText(`a ${key ?? ''} b`)).toEqual({ value: 'a [redacted] b', count: 1 });
  });

  test('masks the values that it is given, each time', () => {
    expect(maskText('hunter2hunter2 is hunter2hunter2', ['hunter2hunter2'])).toEqual({
      value: '[redacted] is [redacted]',
      count: 2,
    });
  });

  test('masks every text in a value, and leaves its shape', () => {
    const masked = maskJson({ a: [KEY, 1, null], b: { c: `x ${KEY}` } });
    expect(masked).toEqual({ value: { a: ['[redacted]', 1, null], b: { c: 'x [redacted]' } }, count: 2 });
  });

  test('gives back the value itself where there is nothing to mask', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const masked = maskJson(value);
        expect(masked.count > 0 || Object.is(masked.value, value)).toBe(true);
      }),
    );
  });

  test('leaves none of a given secret, wherever it stands', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), fc.string(), fc.string(), (secret, before, after) => {
        fc.pre(!'[redacted]'.includes(secret) && !before.includes(secret) && !after.includes(secret));
        expect(maskText(`${before}${secret}${after}`, [secret]).count).toBeGreaterThan(0);
      }),
    );
  });

  test('T18 is linear where a shape almost fits', () => {
    const text = '-----BEGIN PRIVATE KEY-----'.repeat(20_000) + 'eyJ'.repeat(50_000);
    expect(maskText(text).count).toBe(0);
  });
});

describe('G8 nesting', () => {
  const nested = (levels: number): JsonValue =>
    Array.from({ length: levels }).reduce<JsonValue>((inner) => [inner], 1);

  test('counts levels of arrays and objects', () => {
    expect([63, 64, 65].map((levels) => isDeeperThan(nested(levels), MAX_DEPTH))).toEqual([
      false,
      false,
      true,
    ]);
    expect(isDeeperThan({ a: [{}] }, 2)).toBe(true);
  });

  test('is decided for any depth', () => {
    expect(isDeeperThan(nested(200_000), MAX_DEPTH)).toBe(true);
  });

  test('is what the strict parser takes', () => {
    const text = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    expect([parseStrictJson(text(64)).ok, parseStrictJson(text(65)).ok]).toEqual([true, false]);
    expect(parseStrictJson(text(80), 80).ok).toBe(true);
  });
});
