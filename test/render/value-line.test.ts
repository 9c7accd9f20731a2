import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { JsonValue } from '../../src/core/index.js';
import { createTheme } from '../../src/render/index.js';
import { valueBlock } from '../../src/render/value-block.js';
import { valueLine } from '../../src/render/value-line.js';
import { columnsOf } from '../../src/core/index.js';
import { hostileText, rawParts } from './hostile.js';

const theme = createTheme({ colour: false });

function jsonValues(): fc.Arbitrary<JsonValue> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(null, true, 0, -1.5),
      hostileText(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(hostileText(), tie('value'), { maxKeys: 4 }),
    ),
  }));
  return value;
}

describe('a value on one line', () => {
  test.for<[JsonValue, string]>([
    [{ to: 'Ann', amount: 200 }, 'to: Ann, amount: 200'],
    [{ 'odd key': [1, null, { a: false }] }, '"odd key": [1, null, {a: false}]'],
    ['say "hi"\n', '"say \\"hi\\"\\n"'],
    [
      { a: 'true', b: '7', c: 'x, y: z', d: 'two words', e: ' x' },
      'a: "true", b: "7", c: "x, y: z", d: two words, e: " x"',
    ],
    ['ab\u3164c', '"ab\\u{3164}c"'],
    [{}, ''],
    [null, 'null'],
    [[], '[]'],
  ])('%j is %s', ([value, line]) => {
    expect(valueLine(value, 80)).toBe(line);
  });

  test('fits its width and shows nothing raw', () => {
    fc.assert(
      fc.property(jsonValues(), fc.integer({ min: 1, max: 60 }), (value, columns) => {
        const line = valueLine(value, columns);
        expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect([line.includes('\n'), rawParts(line)]).toEqual([false, []]);
      }),
    );
  });

  test('of a huge value costs no more than of a long one', () => {
    const huge = { list: Array.from({ length: 200_000 }, (_, index) => ({ index, text: 'x'.repeat(20) })) };
    expect(valueLine(huge, 40)).toBe('list: [{index: 0, text: xxxxxxxxxxxxxxx…');
  });
});

describe('a value as a block', () => {
  test('is one line where it fits, else a line for each member', () => {
    const value = { to: 'Ann', lines: 'a\nb', list: ['x'.repeat(20), { deep: 'y'.repeat(17) }], empty: {} };
    expect(valueBlock({ to: 'Ann' }, theme, 40)).toEqual(['to: "Ann"']);
    expect(valueBlock(value, theme, 30)).toEqual([
      'to: "Ann"',
      'lines:',
      '  │ a',
      '  │ b',
      'list:',
      '  - "xxxxxxxxxxxxxxxxxxxx"',
      '  -',
      '    deep: "yyyyyyyyyyyyyyyyy"',
      'empty: {}',
    ]);
  });

  test('cuts nothing and shows nothing raw', () => {
    fc.assert(
      fc.property(jsonValues(), (value) => {
        for (const line of valueBlock(value, theme, 30)) {
          expect([line.includes('\n'), rawParts(line)]).toEqual([false, []]);
        }
      }),
    );
    expect(valueBlock('x'.repeat(5000), theme, 30)).toEqual([`│ ${'x'.repeat(5000)}`]);
  });
});
