// The built package, copied once for all attacks: a build meanwhile does not change what is attacked.
import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the package that is attacked. */
    program: string;
  }
}

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Copies what is built, as a package that programs can import. @throws Error if nothing was built. */
export function setup(project: TestProject): () => void {
  if (!existsSync(path.join(repository, 'dist/bin/hitl.js')))
    throw new Error('nothing is built: npm run build');
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-attacked-'));
  for (const name of ['dist', 'schemas', 'package.json'])
    cpSync(path.join(repository, name), path.join(folder, name), { recursive: true });
  symlinkSync(path.join(repository, 'node_modules'), path.join(folder, 'node_modules'));
  project.provide('program', folder);
  return () => {
    rmSync(folder, { recursive: true, force: true });
  };
}
