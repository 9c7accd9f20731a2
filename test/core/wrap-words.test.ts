import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { columnsOf, WordWrap, wrapWords } from '../../src/core/index.js';

describe('text broken into rows', () => {
  test.for<[string, string, number, readonly string[]]>([
    ['at spaces', 'the quick brown fox', 10, ['the quick ', 'brown fox']],
    [
      'with the indent that it begins with',
      '  the quick brown fox jumps',
      20,
      ['  the quick brown ', '  fox jumps'],
    ],
    [
      'where a row is full, for a word that fits none',
      'a xxxxxxxxxxxxxx b',
      8,
      ['a xxxxxx', 'xxxxxxxx', 'b'],
    ],
    ['between letters of a script without spaces', '日本語のテキスト。', 10, ['日本語のテ', 'キスト。']],
    ['before a full stop only where it must', '日本語の。', 8, ['日本語', 'の。']],
    ['not within the notation of what was escaped', 'ab\\u{1B}cd', 6, ['ab', '\\u{1B}', 'cd']],
    [
      'not within a character of several parts',
      'e\u0301'.repeat(6),
      4,
      ['e\u0301'.repeat(4), 'e\u0301'.repeat(2)],
    ],
    ['not at all where it fits', 'the fox', 7, ['the fox']],
    ['at its own line breaks', 'a\nb', 7, ['a', 'b']],
  ])('is broken %s', ([, text, columns, rows]) => {
    expect(wrapWords(text, columns)).toEqual(rows);
  });

  test('hangs as it was asked to', () => {
    expect(wrapWords('one two three four five', 16, '    ')).toEqual(['one two three ', '    four five']);
    const wrap = new WordWrap(() => 16);
    expect(wrap.begin('• ') + wrap.push('one two three four')).toBe('• one two three ');
    expect(wrap.flush()).toBe('\n  four');
  });

  test('closes a style before a break, and opens it again behind it (W3)', () => {
    const [first, second] = wrapWords('\u001B[1mthe quick brown\u001B[22m fox', 10);
    expect([first, second]).toEqual(['\u001B[1mthe quick \u001B[0m', '\u001B[1mbrown\u001B[22m fox']);
  });

  test('fits, loses only white space, and is the same in pieces (W2)', () => {
    const text = fc
      .array(
        fc.constantFrom(
          'a',
          'word',
          ' ',
          '  ',
          '\n',
          '日本',
          '。',
          'x'.repeat(30),
          '\\u{202E}',
          '😀',
          'e\u0301',
        ),
        {
          maxLength: 40,
        },
      )
      .map((words) => words.join(''));
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 14, max: 40 }),
        fc.array(fc.nat(200), { maxLength: 5 }),
        (whole, columns, cuts) => {
          const rows = wrapWords(whole, columns);
          for (const row of rows) expect(columnsOf(row)).toBeLessThanOrEqual(columns);
          const bare = (shown: string) => shown.replace(/\s+/gu, '');
          expect(bare(rows.join(''))).toBe(bare(whole));
          const wrap = new WordWrap(() => columns);
          const places = [0, ...[...cuts].sort((left, right) => left - right), whole.length];
          let shown = '';
          for (const [index, place] of places.entries())
            shown += wrap.push(whole.slice(place, places[index + 1] ?? whole.length));
          expect(bare(shown + wrap.flush())).toBe(bare(whole));
        },
      ),
      { numRuns: 500 },
    );
  });
});
