import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { root } from './project.js';

const text = readFileSync(path.join(root, 'docs/guarantees.md'), 'utf8');

/** The sections of the guarantees and the rows of the threats, by number. */
const guarantees = text
  .slice(0, text.indexOf('\n## Threats'))
  .split(/^### (?=G)/mu)
  .slice(1);
const threats = text.split('\n').filter((line) => /^\| T\d+ /u.test(line));

/** Test files that a text names, each with the words of a test that it quotes for it. */
function proofs(from: string): readonly (readonly [file: string, words: string | undefined])[] {
  const named = from.matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+)`(?: "([^"]+)")?/gu);
  return [...named].map(([, file = '', words]) => [placeOf(file), words] as const);
}

/** A test that takes longer than a newcomer waits is a sweep. */
function placeOf(file: string): string {
  const sweep = `test/${file}.sweep.test.ts`;
  return existsSync(path.join(root, sweep)) ? sweep : `test/${file}.test.ts`;
}

describe('the list of guarantees', () => {
  test('has every guarantee and every threat once, the threats in order', () => {
    const numbers = (rows: readonly string[]) => rows.map((row) => Number(/[GT](\d+) /u.exec(row)?.[1]));
    const inOrder = numbers(guarantees).toSorted((one, other) => one - other);
    expect(inOrder).toEqual(guarantees.map((_, index) => index + 1));
    expect(guarantees.length).toBeGreaterThanOrEqual(36);
    expect(numbers(threats)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('names a test for each of them, or says that there is none yet', () => {
    const unproven = [...guarantees, ...threats].filter(
      (row) => proofs(row).length === 0 && !/not yet/iu.test(row),
    );
    expect(unproven).toEqual([]);
  });

  test('names tests that exist, by files and by words of their names', () => {
    const all = proofs(text);
    expect(all.length).toBeGreaterThan(100);
    const wrong = all.filter(([file, words]) => {
      const place = path.join(root, file);
      if (!existsSync(place)) return true;
      return words !== undefined && !readFileSync(place, 'utf8').includes(words);
    });
    expect(wrong).toEqual([]);
  });
});
