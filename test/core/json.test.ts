import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  canonicalJson,
  deepFreeze,
  digestOf,
  isJson,
  isJsonArray,
  isJsonObject,
  jsonEquals,
  sha256,
} from '../../src/core/index.js';
import { jsonValues } from '../helpers/arbitraries.js';

/** The same value with the keys of every object in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe('canonical JSON', () => {
  test('sorts keys at every depth and leaves out undefined members', () => {
    const value = { b: [{ d: 1, c: null }], a: undefined, A: 'x' };
    expect(canonicalJson(value as never)).toBe('{"A":"x","b":[{"c":null,"d":1}]}');
  });

  test('is JSON of the same value, and one text for any order of keys', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
        expect(canonicalJson(reversed(value) as never)).toBe(canonicalJson(value));
        expect(digestOf(reversed(value) as never)).toBe(digestOf(value));
      }),
    );
  });
});

describe('what JSON can say', () => {
  test('is every value that JSON text can hold', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        expect(isJson(value)).toBe(true);
      }),
    );
    expect(isJson(Object.assign(Object.create(null), { a: 1 }))).toBe(true);
    const shared = [1];
    expect(isJson([shared, shared])).toBe(true);
  });

  test('is nothing else, at any depth', () => {
    const around: unknown[] = [];
    around.push(around);
    let deep: unknown = 1;
    for (let level = 0; level < 2_000; level += 1) deep = [deep];
    const others = [
      undefined,
      () => 1,
      10n,
      NaN,
      Infinity,
      new Date(0),
      new Map(),
      Symbol('s'),
      around,
      deep,
    ];
    for (const other of [...others, Array(1)]) {
      expect(isJson(other)).toBe(false);
      expect(isJson({ a: [other] })).toBe(false);
    }
  });

  test('leaves members out that are undefined where they count as absent, and items of a list never', () => {
    expect([isJson({ a: undefined }), isJson({ a: undefined }, 'absent')]).toEqual([false, true]);
    expect(isJson([undefined], 'absent')).toBe(false);
  });
});

describe('equality of JSON', () => {
  test.for<[unknown, unknown, boolean]>([
    [1, 1, true],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: '1' }, false],
    [[], {}, false],
    [null, {}, false],
    [0, false, false],
    ['', null, false],
    [{ a: undefined }, {}, true],
    [{ a: undefined, b: 1 }, { b: 1, c: undefined }, true],
    [{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
    [[1, [2]], [1, [2, 3]], false],
    [{ toString: 1 }, { valueOf: 1 }, false],
  ])('%j and %j: %j', ([left, right, equal]) => {
    expect(jsonEquals(left as never, right as never)).toBe(equal);
  });
});

describe('the digest', () => {
  test('is SHA-256 in lower-case hex', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(digestOf('abc')).toBe(sha256('"abc"'));
  });
});

describe('the guards', () => {
  test('tell objects, lists and the rest apart', () => {
    const values = [{}, [], null, 'x', 1];
    expect(values.map(isJsonObject)).toEqual([true, false, false, false, false]);
    expect(values.map((value) => isJsonArray(value as never))).toEqual([false, true, false, false, false]);
  });
});

describe('deep freezing (G12)', () => {
  test('reaches the last leaf, and returns the very value', () => {
    const value = { a: [{ b: { c: 1 } }] };
    expect(deepFreeze(value)).toBe(value);
    expect(Object.isFrozen(value.a[0]!.b)).toBe(true);
    expect(() => {
      value.a[0]!.b.c = 2;
    }).toThrow(TypeError);
  });

  test('leaves scalars and what is frozen already', () => {
    const frozen = Object.freeze({ a: 1 });
    expect([deepFreeze(1), deepFreeze(null), deepFreeze(frozen)]).toEqual([1, null, frozen]);
  });
});
