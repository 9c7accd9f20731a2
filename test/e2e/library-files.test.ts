import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

const LIBRARY = path.resolve(import.meta.dirname, '../../dist/lib');
const STATIC = /^(?:import|export)\b[^;"]*"(\.[^"]+)";$/gm;

/** The line that the bundler writes above a module. */
const MODULE = /^\/\/ (?:src|sessions)\/.*\.ts$/gm;

/** A built file, and all that it imports when it is loaded. */
function loadedWith(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, wanted = ''] of readFileSync(file, 'utf8').matchAll(STATIC))
    loadedWith(path.join(path.dirname(file), wanted), seen);
  return seen;
}

describe('the library as it is built', () => {
  test.for(['index', 'sessions', 'server', 'testing'])('%s is loaded in a few files', (entry) => {
    const loaded = loadedWith(path.join(LIBRARY, `${entry}.js`));
    expect(loaded.size).toBeGreaterThan(2);
    expect(loaded.size).toBeLessThan(30);
  });

  test('has each module once, whichever entries are loaded', () => {
    const files = readdirSync(LIBRARY, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.js'),
    );
    const modules = files.flatMap((name) => [
      ...new Set(readFileSync(path.join(LIBRARY, name), 'utf8').match(MODULE)),
    ]);
    expect(modules).toContain('// src/core/data/errors.ts');
    expect(modules.filter((name, index) => modules.indexOf(name) !== index)).toEqual([]);
  });
});
