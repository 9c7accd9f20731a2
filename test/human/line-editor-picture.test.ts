import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { columnsOf } from '../../src/core/index.js';
import { pictureOf } from '../../src/human/line-editor/picture.js';
import { at, lineState, pasted } from '../../src/human/line-editor/state.js';

const plain = (text: string) => text;
const look = { prompt: '> ', paint: plain, below: [] };

function drawn(state: ReturnType<typeof lineState>, size = { columns: 11, rows: 10 }, changes = {}) {
  const { rows, cursor } = pictureOf(state, { ...look, ...changes }, size);
  return { rows: rows.map((row) => row.text), cursor };
}

describe('a drawn line', () => {
  test('leaves room for the cursor behind the text', () => {
    expect(drawn(lineState('hello'))).toEqual({ rows: ['> hello'], cursor: { row: 0, column: 7 } });
  });

  test('wraps where the screen ends, with its later rows below its first letter', () => {
    expect(drawn(lineState('0123456789abc'))).toEqual({
      rows: ['> 01234567', '  89abc'],
      cursor: { row: 1, column: 7 },
    });
  });

  test('starts a new row for the cursor where the last row is full', () => {
    expect(drawn(lineState('01234567'))).toEqual({
      rows: ['> 01234567', '  '],
      cursor: { row: 1, column: 2 },
    });
  });

  test('does not cut a wide letter in half', () => {
    expect(drawn(lineState('0123456你x'))).toEqual({
      rows: ['> 0123456', '  你x'],
      cursor: { row: 1, column: 5 },
    });
  });

  test('shows line breaks as lines', () => {
    expect(drawn(at(lineState('ab\ncd'), 3))).toEqual({
      rows: ['> ab', '  cd'],
      cursor: { row: 1, column: 2 },
    });
  });

  test('shows a pasted block folded', () => {
    const wide = { columns: 60, rows: 10 };
    expect(drawn(pasted(lineState('see '), '1\n2\n3\n4'), wide).rows).toEqual(['> see [4 lines]']);
    expect(drawn(pasted(lineState(), 'x'.repeat(2000)), wide).rows).toEqual(['> [2000 characters]']);
  });

  test('G31: shows what does not show, and moves nothing', () => {
    const { rows } = drawn(lineState('a\u001b[2J\u202eb\u0007'), { columns: 60, rows: 10 });
    expect(rows).toEqual(['> a\\u{1B}[2J\\u{202E}b\\u{7}']);
  });

  test('shows a typed backslash as it is', () => {
    expect(drawn(lineState('a\\b')).rows).toEqual(['> a\\b']);
  });

  test('shows dots for a secret', () => {
    expect(drawn(lineState('a\n你'), undefined, { secret: true })).toEqual({
      rows: ['> •••'],
      cursor: { row: 0, column: 5 },
    });
  });

  test('shows hints below, broken at words', () => {
    const below = [{ text: 'a hint that is too long', paint: plain }];
    expect(drawn(lineState('x'), undefined, { below })).toEqual({
      rows: ['> x', 'a hint', 'that is', 'too long'],
      cursor: { row: 0, column: 3 },
    });
  });

  test('shows the rows around the cursor of a text that is longer than the screen', () => {
    const long = lineState(Array.from({ length: 20 }, (_, index) => `l${index}`).join('\n'));
    const { rows, cursor } = drawn(long, { columns: 30, rows: 6 });
    expect([rows, cursor.row]).toEqual([['… 15 lines above', '  l16', '  l17', '  l18', '  l19'], 4]);
    expect(drawn(at(long, 0), { columns: 30, rows: 6 }).rows[0]).toBe('> l0');
  });

  test('every row fits, and the cursor is in one of them', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.nat(),
        fc.integer({ min: 12, max: 40 }),
        (text, place, columns) => {
          const state = lineState(text);
          const { rows, cursor } = pictureOf(at(state, place % (state.items.length + 1)), look, {
            columns,
            rows: 8,
          });
          expect(rows.length).toBeLessThanOrEqual(7);
          expect(cursor.row).toBeLessThan(rows.length);
          for (const row of rows) expect(columnsOf(row.text)).toBe(row.columns);
          for (const row of rows) expect(row.columns).toBeLessThan(Math.max(columns, 12));
        },
      ),
    );
  });
});
