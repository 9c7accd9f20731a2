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

test('what was listed and found is told in words, with the first lines of it', () => {
  const output = (name: string, value: object) =>
    settledLines({ name, words: 'Look', isTold: true }, { type: 'output', output: value as never }, drawing);
  expect(output('list_files', { path: '.', entries: [{ path: 'a.js', type: 'file', bytes: 2 }] })).toEqual([
    '  ✓ 1 entry',
    '    a.js',
  ]);
  expect(output('list_files', { path: '.', entries: [], more: true })).toEqual(['  ✓ 0 entries, and more']);
  const matches = [1, 2, 3, 4].map((line) => ({ path: 'a.js', line, text: `const a = ${line};` }));
  expect(output('search_files', { matches, filesSearched: 60, skipped: 0, more: false })).toEqual([
    '  ✓ 4 matches in 60 files',
    '    a.js:1: const a = 1;',
    '    a.js:2: const a = 2;',
    '    a.js:3: const a = 3;',
    '    … 1 more line',
  ]);
  expect(output('search_files', { matches: [], filesSearched: 1, skipped: 0, more: false })).toEqual([
    '  ✓ 0 matches in 1 file',
  ]);
});
