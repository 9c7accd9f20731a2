import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const TESTS = fileURLToPath(new URL('..', import.meta.url));
const DECISIONS = fileURLToPath(new URL('../../docs/adr/0019-what-graphs-do-not-have.md', import.meta.url));

/** The numbers before the colon of a title: `F1, L16: …`. */
const TITLE = /['`]((?:[A-Z]\d+(?:, )?)+): /gu;
/** The numbers in the first column of a table. */
const ROW = /^\| ((?:[KN]\d+(?:, )?)+) +\|/gmu;

/** Everything that was compared with other libraries, by letter: of calls from outside (F, L), of graphs (K, N). */
const COUNTS = [
  ['F', 9],
  ['L', 16],
  ['K', 15],
  ['N', 18],
] as const;

function numbersOf(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].flatMap(([, numbers = '']) => numbers.split(', '));
}

function tested(): readonly string[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.includes('numbered-rows'))
    .flatMap((name) => numbersOf(readFileSync(join(TESTS, name), 'utf8'), TITLE));
}

test('every row that was compared is in the title of a test, or a decision that says why not', () => {
  const known = new Set([...tested(), ...numbersOf(readFileSync(DECISIONS, 'utf8'), ROW)]);
  const wanted = COUNTS.flatMap(([letter, count]) =>
    Array.from({ length: count }, (_row, index) => `${letter}${index + 1}`),
  );
  expect(wanted.filter((row) => !known.has(row))).toEqual([]);
});
