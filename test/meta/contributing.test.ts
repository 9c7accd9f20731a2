import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { expect, test } from 'vitest';

import { root } from './project.js';

test('every path that CONTRIBUTING.md names is there', () => {
  const text = readFileSync(path.join(root, 'CONTRIBUTING.md'), 'utf8');
  const named = [...text.matchAll(/`((?:src|commands|sessions|test|docs|scripts|schemas)\/[\w./-]+)`/gu)];
  const paths = named.map(([, place = '']) => place);
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((place) => !existsSync(path.join(root, place)))).toEqual([]);
});
