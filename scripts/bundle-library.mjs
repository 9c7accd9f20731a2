import path from 'node:path';

import { build } from 'esbuild';

/**
 * Makes `lib`: a file for each entry of `exports`. They share chunks, so that each module is there once. Six hundred
 * modules of their own take twice the processor to load, and 12 MB more. Names and lines stay, for whoever reads a stack.
 */
export async function bundleLibrary({ exports: entries }, root, outFolder) {
  await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    entryPoints: Object.values(entries).flatMap(entryPoint),
    outdir: `${outFolder}/lib`,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
    logLevel: 'warning',
  });
}

/** The source of an entry, and the name of its file. */
function entryPoint({ types, default: file }) {
  if (types === undefined) return [];
  return [
    { in: types.replace('./dist/types/', '').replace('.d.ts', '.ts'), out: path.basename(file, '.js') },
  ];
}
