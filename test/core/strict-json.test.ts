import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../src/core/index.js';
import { parseStrictJson, refusedIn } from '../../src/core/index.js';

function problemOf(text: string): { problem: string; at: number } | 'accepted' {
  const result = parseStrictJson(text);
  return result.ok ? 'accepted' : { problem: result.problem, at: result.at };
}

function nested(depth: number, open: string, inside: string, close: string): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

function everyObjectIsPlain(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = Array.isArray(value) ? prototype === Array.prototype : prototype === Object.prototype;
  return plain && Object.values(value).every(everyObjectIsPlain);
}

/** JSON text with optional white space, escapes and exponents, and the value that it stands for. */
function jsonText(): fc.Arbitrary<string> {
  return fc
    .tuple(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(undefined, 1, '\t', ' \n'))
    .map(([value, indent]) => JSON.stringify(value, undefined, indent));
}

describe('the strict JSON parser', () => {
  test.for([
    ['{}', {}],
    [' {"a" : [1, -2.5e3, true, false, null, ""] }\r\n\t', { a: [1, -2500, true, false, null, ''] }],
    ['"\\u00e9\\ud83d\\ude00\\"\\\\\\/\\b\\f\\n\\r\\t"', 'é😀"\\/\b\f\n\r\t'],
    ['-0', 0],
    ['0.1', 0.1],
    ['[[[]]]', [[[]]]],
    ['{"constructor":1,"prototype":2,"toString":3}', { constructor: 1, prototype: 2, toString: 3 }],
  ] as [string, JsonValue][])('accepts %s', ([text, value]) => {
    expect(parseStrictJson(text)).toEqual({ ok: true, value, warnings: [] });
  });

  test.for([
    ['{"to":"A","to":"B"}', 'duplicate-key', 10],
    ['{"a":1,"\\u0061":2}', 'duplicate-key', 7],
    ['{"__proto__":{"admin":true}}', 'forbidden-key', 1],
    ['{"\\u005f_proto__":1}', 'forbidden-key', 1],
    ['"\\ud83d"', 'lone-surrogate', 0],
    ['{"\\ude00":1}', 'lone-surrogate', 1],
    ['1e400', 'non-finite-number', 0],
    ['[1,-1e999]', 'non-finite-number', 3],
    ['', 'incomplete-json', 0],
    ['{"to":"A","amount":12', 'incomplete-json', 21],
    ['{"to":"A', 'incomplete-json', 8],
    ['{"to', 'incomplete-json', 4],
    ['{"to"', 'incomplete-json', 5],
    ['{"to":', 'incomplete-json', 6],
    ['{"a":1,', 'incomplete-json', 7],
    ['[1,', 'incomplete-json', 3],
    ['tru', 'incomplete-json', 3],
    ['-', 'incomplete-json', 1],
    ['1.', 'incomplete-json', 2],
    ['1e+', 'incomplete-json', 3],
    ['"a\\', 'incomplete-json', 3],
    ['"a\\u12', 'incomplete-json', 6],
    ['{}{}', 'syntax', 2],
    ['{"a":1}x', 'syntax', 7],
    ['{a:1}', 'syntax', 1],
    ["{'a':1}", 'syntax', 1],
    ['{"a" 1}', 'syntax', 5],
    ['[1 2]', 'syntax', 3],
    ['[1,]', 'syntax', 3],
    ['{"a":1,}', 'syntax', 7],
    ['01', 'syntax', 0],
    ['+1', 'syntax', 0],
    ['.5', 'syntax', 0],
    ['1.x', 'syntax', 0],
    ['NaN', 'syntax', 0],
    ['Infinity', 'syntax', 0],
    ['undefined', 'syntax', 0],
    ['"\n"', 'syntax', 1],
    ['"\\x41"', 'syntax', 1],
    ['"\\u12g4"', 'syntax', 1],
    ['\uFEFF{}', 'syntax', 0],
    ['{}\u0000', 'syntax', 2],
    ['// comment\n1', 'syntax', 0],
  ] as [string, string, number][])('refuses %j as %s at %i', ([text, problem, at]) => {
    expect(problemOf(text)).toEqual({ problem, at });
  });

  test('accepts 64 levels and refuses 65, also where the levels are mixed', () => {
    expect(problemOf(nested(64, '[', '', ']'))).toBe('accepted');
    expect(problemOf(nested(32, '{"a":[', '1', ']}'))).toBe('accepted');
    expect(problemOf(nested(65, '[', '', ']'))).toEqual({ problem: 'depth', at: 64 });
    expect(problemOf(nested(200_000, '[', '', ']'))).toEqual({ problem: 'depth', at: 64 });
  });

  test('warns of numbers that are rounded, and of them only', () => {
    const text = '[9007199254740993, 9007199254740992, 0.1, 1.10, 1e21, 123456789012345678.5, 1e-400, 0e5]';
    const result = parseStrictJson(text);

    expect(result).toEqual({
      ok: true,
      value: [9007199254740992, 9007199254740992, 0.1, 1.1, 1e21, 123456789012345680, 0, 0],
      warnings: [
        { type: 'rounded-integer', message: '9007199254740993 becomes 9007199254740992', at: 1 },
        { type: 'rounded-decimal', message: '123456789012345678.5 becomes 123456789012345680', at: 54 },
        { type: 'rounded-decimal', message: '1e-400 becomes 0', at: 76 },
      ],
    });
  });

  test('never leaves a way into the prototype', () => {
    expect(parseStrictJson('{"a":{"constructor":{"prototype":{"polluted":1}}}}')).toEqual({
      ok: false,
      problem: 'forbidden-key',
      message: 'the key "prototype" is not allowed in "constructor"',
      at: 6,
    });
    expect('polluted' in {}).toBe(false);
  });

  test('refuses no more and no less than what is looked for in a value that came by another way', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        const value = JSON.parse(text) as JsonValue;
        const result = parseStrictJson(JSON.stringify(value));
        const isRefused = !result.ok && ['forbidden-key', 'depth'].includes(result.problem);
        expect(refusedIn(value) !== undefined).toBe(isRefused);
      }),
      { numRuns: 500 },
    );
    const deep = (levels: number): JsonValue => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect([
      refusedIn(JSON.parse('{"a":[{"__proto__":1}]}')),
      refusedIn({ a: { constructor: { prototype: { polluted: 1 } } } }),
      refusedIn({ constructor: 1, prototype: 2 }),
      refusedIn(deep(64)),
      refusedIn(deep(65)),
    ]).toEqual([
      'the key "__proto__" is not allowed',
      'the key "prototype" is not allowed in "constructor"',
      undefined,
      undefined,
      'more than 64 levels deep',
    ]);
  });

  test('takes time linear in the text', { timeout: 10_000 }, () => {
    const zeros = '0'.repeat(200_000);
    expect(problemOf(`[1.${zeros}1]`)).toBe('accepted');
    expect(problemOf(`"${'\\\\'.repeat(500_000)}"`)).toBe('accepted');
    expect(problemOf(`[${'1,'.repeat(300_000)}1]`)).toBe('accepted');
    expect(problemOf(' '.repeat(500_000))).toEqual({ problem: 'incomplete-json', at: 500_000 });
  });

  test('gives what JSON.parse gives, for any JSON', () => {
    fc.assert(
      fc.property(jsonText(), (text) => {
        const result = parseStrictJson(text);
        const reference: unknown = JSON.parse(text);
        const strict = !text.includes('"__proto__"') && !/\\ud[89a-f]/i.test(text);
        expect(result.ok || !strict).toBe(true);
        // JSON text has no -0 apart from `-0` itself, which is stored as 0 anyway.
        if (result.ok) expect(JSON.stringify(result.value)).toBe(JSON.stringify(reference));
      }),
      { numRuns: 500 },
    );
  });

  test('accepts nothing that JSON.parse refuses, and no prototype but the plain ones', () => {
    const mutated = fc
      .tuple(jsonText(), fc.nat(), fc.constantFrom('', '"', '{', '}', ',', ':', '\\', '1', 'e', '-'))
      .map(([text, place, piece]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + piece + text.slice(at + 1);
      });
    fc.assert(
      fc.property(mutated, (text) => {
        const result = parseStrictJson(text);
        if (!result.ok) return;
        expect(JSON.stringify(JSON.parse(text))).toBe(JSON.stringify(result.value));
        expect(everyObjectIsPlain(result.value)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('refuses every proper prefix of an object as incomplete', () => {
    const text = '{"to":"A\\"é\\u00e9","n":[-12.5e3,true,false,null,{"x":{}}]}';
    for (let end = 0; end < text.length; end += 1) {
      expect(problemOf(text.slice(0, end))).toMatchObject({ problem: 'incomplete-json' });
    }
    expect(problemOf(text)).toBe('accepted');
  });
});
