import { describe, expect, test } from 'vitest';

import { isWellFormed, toWellFormed, toWellFormedJson } from '../../src/core/index.js';

describe('well-formed text', () => {
  test('tells lone surrogates from pairs', () => {
    expect([isWellFormed('😀é'), isWellFormed('\ud83d'), isWellFormed('\ude00\ud83d')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('puts U+FFFD in place of each lone surrogate and leaves the rest', () => {
    expect(toWellFormed('a\ud83d😀\ude00')).toBe('a\uFFFD😀\uFFFD');
  });

  test('mends keys and texts of JSON', () => {
    expect(toWellFormedJson({ a: ['\ud83d', 1, null], '\ude00': true })).toEqual({
      a: ['\uFFFD', 1, null],
      '\uFFFD': true,
    });
  });

  test('hands back the very value where nothing was wrong', () => {
    const value = { a: ['x', { b: 0 }], c: '' };

    expect(toWellFormedJson(value)).toBe(value);
  });
});
