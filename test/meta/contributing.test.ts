import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { root } from './project.js';

test.for([
  ['CONTRIBUTING.md', 15],
  ['docs/walk.md', 25],
  ['docs/words.md', 5],
  ['docs/guides/stores.md', 3],
] as const)('every path that %s names is there', ([page, least]) => {
  const text = readFileSync(path.join(root, page), 'utf8');
  const named = [...text.matchAll(/`((?:src|commands|sessions|test|docs|scripts|schemas)\/[\w./-]+)`/gu)];
  const paths = named.map(([, place = '']) => place);
  expect(paths.length).toBeGreaterThan(least);
  expect(paths.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
});
