import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { buildSync } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../..');
const folder = path.join(root, 'reports/programs');

/**
 * Compiles a program of the tests to one JavaScript file, with the sources that it imports, and gives its path: tsx
 * takes a second and more of the processor to load them, at each start.
 */
export function compiled(source: string): string {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [source], bundle: true, write: false, packages: 'external' },
    ...{ platform: 'node', format: 'esm', target: 'node20.19' },
  });
  const name = path.relative(root, source).replaceAll(path.sep, '.').replace(/ts$/u, 'mjs'); // there is more than one `main.ts`
  const file = path.join(folder, name);
  const own = `${file}.${String(process.pid)}`; // another worker may run the same program
  mkdirSync(folder, { recursive: true });
  writeFileSync(own, outputFiles.map(({ text }) => text).join(''));
  renameSync(own, file);
  return file;
}
