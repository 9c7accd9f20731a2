import { expect, test } from 'vitest';

import type { JsonObject } from '../../src/core/index.js';
import { Reads } from '../../src/render/reads.js';
import { plainTheme } from '../../src/render/theme.js';

const drawing = { theme: plainTheme(), columns: 60 };

function readsOf(...outputs: readonly JsonObject[]): Reads {
  const reads = new Reads();
  for (const { path = 'a.js', ...output } of outputs)
    reads.add({ name: 'read_file', input: { path } }, { type: 'output', output: { path, ...output } });
  return reads;
}

test('one file is told with its lines, or the part of it that was read', () => {
  const rows = [
    { fromLine: 1, toLine: 17, totalLines: 17 },
    { fromLine: 1, toLine: 1, totalLines: 1 },
    { fromLine: 3, toLine: 17, totalLines: 300 },
    { fromLine: 3, toLine: 17 },
    { fromLine: 9, toLine: 8, totalLines: 4 },
  ].flatMap((output) => readsOf(output).take(drawing));
  expect(rows).toEqual([
    '✓ Read a.js  17 lines',
    '✓ Read a.js  1 line',
    '✓ Read a.js  lines 3–17 of 300',
    '✓ Read a.js  lines 3–17',
    '✓ Read a.js  no lines',
  ]);
});

test('several are one row, once, and parts of one file name it once', () => {
  const part = (path: string, fromLine: number) => ({ path, fromLine, toLine: fromLine + 9, totalLines: 90 });
  const several = readsOf(part('a.js', 1), part('\u001b[2Jb', 1), part('a.js', 11));
  expect(several.rows(drawing)).toEqual(several.take(drawing));
  expect(several.take(drawing)).toEqual([]);
  expect(readsOf(part('a.js', 1), part('\u001b[2Jb', 1)).take(drawing)).toEqual([
    '✓ Read 2 files  a.js, \\u{1B}[2Jb',
  ]);
  expect(readsOf(part('a.js', 1), part('a.js', 11)).take(drawing)).toEqual([
    '✓ Read a.js  lines 1–10 of 90, lines 11–20 of 90',
  ]);
});

test('a failure, another tool, and a picture are no reads', () => {
  const reads = new Reads();
  const lines = { fromLine: 1, toLine: 1, totalLines: 1 };
  const call = { name: 'read_file', input: { path: 'a' } };
  expect([
    reads.add(call, { type: 'error', code: 'failed', message: 'no such file' }),
    reads.add({ ...call, name: 'other' }, { type: 'output', output: lines }),
    reads.add(call, { type: 'output', output: { path: 'a', bytes: 5, mediaType: 'image/png' } }),
    reads.add({ ...call, input: 5 }, { type: 'output', output: lines }),
  ]).toEqual([false, false, false, false]);
  expect(reads.take(drawing)).toEqual([]);
});
