import { existsSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { mutants, placesOf } from '../../scripts/mutants/rows.js';
import { root } from './project.js';

test('each mutant has a text that stands once in the product, and tests that are there', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(40);
  const stale = mutants.flatMap(({ name, text, replacement, tests }) => {
    const missing = tests.filter((one) => !existsSync(path.join(root, `test/${one}.test.ts`)));
    const places = text === replacement ? [] : placesOf(root, text);
    return missing.length === 0 && places.length === 1 ? [] : [{ name, missing, places }];
  });
  expect(stale).toEqual([]);
});
