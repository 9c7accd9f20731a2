import { expect, test } from 'vitest';

import { plainTheme } from '../../src/render/theme.js';
import { settledLines } from '../../src/render/tool-lines.js';

const drawing = { theme: plainTheme(), columns: 60 };
const call = { name: 'edit_file', words: 'Edit src/cart.js', tookMs: 10 };

test('a reason that fits stands beside what failed', () => {
  expect(settledLines(call, { type: 'error', code: 'failed', message: 'no such file' }, drawing)).toEqual([
    '✗ Edit src/cart.js failed · no such file',
  ]);
});

test('a reason that is longer than the row stands below it, broken at words, and a very long one is counted off', () => {
  const message = 'src/cart.js: the text to replace is not in the file; read it again before you change it';
  const failed = { type: 'error', code: 'invalid-input', message } as const;
  expect(settledLines(call, failed, drawing)).toEqual([
    '✗ Edit src/cart.js invalid input',
    '    src/cart.js: the text to replace is not in the file;',
    '    read it again before you change it',
  ]);
  expect(settledLines({ ...call, isTold: true }, failed, drawing)[0]).toBe('  ✗ invalid input');
  const long = settledLines(call, { ...failed, message: 'word '.repeat(200) }, drawing);
  expect([long.length, long.at(-1)?.endsWith('…')]).toEqual([7, true]);
});
