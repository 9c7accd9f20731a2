import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { projectFiles, root } from './project.js';

const parent = path.dirname(root);

/** Places only this machine has. A clone in the root or in the folder for temporary files has no telling parent. */
const machinePaths = [root, ...(parent === '/' || parent === tmpdir() ? [] : [parent])].map(
  (place) => `${place}/`,
);

const code = /^(src|sessions|commands|bin|test|scripts|examples)\/.*\.(ts|js|mjs)$/;

describe.skipIf(!existsSync(path.join(root, '.git')))('the files of the project', () => {
  const files = projectFiles().filter((file) => existsSync(path.join(root, file)));

  test('name no path of this machine', () => {
    expect(files).not.toHaveLength(0);
    const naming = files.filter((file) => {
      const text = readFileSync(path.join(root, file), 'latin1');
      return machinePaths.some((place) => text.includes(place));
    });
    expect(naming).toEqual([]);
  });

  test('are named in kebab-case', () => {
    const names = files.filter((file) => code.test(file) && !file.startsWith('test/fixtures/'));
    expect(names).not.toHaveLength(0);
    expect(names.filter((file) => !/^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(path.basename(file)))).toEqual([]);
  });

  test('are named for a concept', () => {
    expect(files.filter((file) => /(^|\/)(utils?|types|helpers|misc|common)\.ts$/.test(file))).toEqual([]);
  });
});
