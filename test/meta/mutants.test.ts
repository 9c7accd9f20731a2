import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { mutants } from '../../scripts/mutants/list.mjs';
import { mutated } from '../../scripts/mutants/mutant.mjs';
import { root } from './project.js';

/** Why a mutant does not apply to the code as it is; `undefined` where it does. */
function staleness({ file, edits, tests }: (typeof mutants)[number]): string | undefined {
  const missing = [file, ...tests].find((name) => !existsSync(path.join(root, name)));
  if (missing !== undefined) return `there is no ${missing}`;
  const text = readFileSync(path.join(root, file), 'utf8');
  if (mutated(text, edits) === undefined) return `its text is gone from ${file}`;
  return undefined;
}

describe('the list of mutants', () => {
  test('applies to the code as it is, each of them with tests that are there', () => {
    expect(mutants.length).toBeGreaterThan(100);
    const stale = mutants.flatMap((mutant) => {
      const why = staleness(mutant);
      return why === undefined ? [] : [`${mutant.name}: ${why}`];
    });
    expect(stale).toEqual([]);
  });

  test('has each name once, and changes something each time', () => {
    const names = mutants.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const idle = mutants.filter(({ edits }) => edits.some(([search, replacement]) => search === replacement));
    expect(idle.map(({ name }) => name)).toEqual([]);
  });
});
