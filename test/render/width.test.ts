import { describe, expect, test } from 'vitest';

import { outputColumns } from '../../src/render/output.js';
import { cutToWidth, padToWidth } from '../../src/render/width.js';
import { columnsOf } from '../../src/core/index.js';

describe('the width of text', () => {
  test.for<[string, number]>([
    ['', 0],
    ['abc', 3],
    ['日本', 4],
    ['ｆｕｌｌ', 8],
    ['한국', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 6],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['1️⃣', 2],
    ['✓ →', 3],
    ['\u001B[31mred\u001B[39m', 3],
  ])('of %j is %i', ([text, width]) => {
    expect(columnsOf(text)).toBe(width);
  });

  test.for<[string, number, string]>([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['a\\u{1B}b', 5, 'a…'],
    ['abc', 1, '…'],
    ['', 0, ''],
  ])('%j cut to %i columns is %j', ([text, columns, cut]) => {
    expect(cutToWidth(text, columns)).toBe(cut);
  });

  test('a cut of a huge text does not look at all of it', () => {
    expect(cutToWidth('x'.repeat(10_000_000), 5)).toBe('xxxx…');
  });

  test.for<[number | undefined, number]>([
    [undefined, 80],
    [0, 80],
    [120, 120],
  ])('an output of %s columns has %i', ([columns, known]) => {
    expect(outputColumns({ write: () => true, columns })).toBe(known);
  });

  test('padding counts columns and not characters', () => {
    expect([padToWidth('日', 4), padToWidth('ab', 4, 'right'), padToWidth('abcde', 4)]).toEqual([
      '日  ',
      '  ab',
      'abcde',
    ]);
  });
});
