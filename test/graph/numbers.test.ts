import { readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { projectFiles, root } from '../meta/project.js';

const CASES = 99;
/** What row 12 asked for is not known. */
const ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13];

/** Where `case 12` is one of these 99; other tests of the project number other cases, and say `graph case 12`. */
const OWN = /^test\/(?:graph|reasoner|telemetry)\/|^test\/sessions\/message-|^test\/core\/inbox/u;

/** The name of a test or of a group of them: a text with a function behind it. */
const NAMES = /(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1,\s*(?:async\s*)?\(/gu;

/** The numbers that names of tests give, as `case 35, 36` or `R-7`. */
function numbersOf(names: readonly string[], mark: RegExp): ReadonlySet<number> {
  const texts = names.flatMap((name) => [...name.matchAll(mark)].map(([, found = '']) => found));
  return new Set(texts.flatMap((text) => text.split(', ')).map(Number));
}

function namesIn(file: string): readonly string[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(NAMES)].map(([, , name = '']) => name);
}

const files = projectFiles().filter((file) => /^test\/.*\.test\.ts$/u.test(file));

test('every case of a graph, and every row of the review, has a test that names it', () => {
  const own = files.filter((file) => OWN.test(file)).flatMap(namesIn);
  const others = files.filter((file) => !OWN.test(file)).flatMap(namesIn);
  const cases = new Set([
    ...numbersOf(own, /\bcases? (\d+(?:, \d+)*)/gu),
    ...numbersOf(others, /\bgraph cases? (\d+(?:, \d+)*)/gu),
  ]);
  const rows = numbersOf(own, /\bR-(\d+)/gu);
  const all = Array.from({ length: CASES }, (_, index) => index + 1);
  const missing = {
    cases: all.filter((number) => !cases.has(number)),
    rows: ROWS.filter((number) => !rows.has(number)),
  };
  process.stdout.write(`graph conformance: ${CASES - missing.cases.length} of ${CASES} cases\n`);
  expect(missing).toEqual({ cases: [], rows: [] });
  expect([...cases].filter((number) => number < 1 || number > CASES)).toEqual([]);
});
