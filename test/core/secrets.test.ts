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

  test.for<[string, string]>([
    ['postgres://ann:hunter2@db/x', 'postgres://ann:[redacted]@db/x'],
    ['redis://:p@ss@h:1 and http://localhost:80/a@b', 'redis://:[redacted]@h:1 and http://localhost:80/a@b'],
    ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key = [redacted]'],
    ['DB_PASSWORD=correcthorse\nPORT=8080', 'DB_PASSWORD=[redacted]\nPORT=8080'],
    ['{"password": "correcthorse", "port": 8080}', '{"password": "[redacted]", "port": 8080}'],
    ["apiKey: 'abcd1234efgh'", "apiKey: '[redacted]'"],
    ['https://h/?token=abcd1234&page=2', 'https://h/?token=[redacted]&page=2'],
    ['password: hunter2hunter2', 'password: [redacted]'],
    ['x-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlMTIz.', '[redacted].'],
  ])('masking %j leaves %j', ([text, masked]) => {
    expect(maskText(text)).toEqual({ value: masked, count: 1 });
    expect(maskText(masked)).toEqual({ value: masked, count: 0 });
  });

  test.for([
    'const token = getToken2(input);',
    "type: 'tool', token: 'tool-request', key: 'Backspace'",
    'self.password = password',
    'password: z.string().min(8),',
    'password=$DB_PASSWORD2 token=${{ secrets.GITHUB_TOKEN1 }}',
    'idempotencyKey: call-12345678',
    'monkey=banana1234',
    'http://localhost:8080/users/@ann',
    'the password: at least 8 characters',
  ])('masking leaves %j as it is, which is code or prose', (text) => {
    expect(maskText(text)).toEqual({ value: text, count: 0 });
  });

  test('T18 masks are linear where a shape almost fits', () => {
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
