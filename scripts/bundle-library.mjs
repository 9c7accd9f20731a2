import { builtinModules } from 'node:module';
import path from 'node:path';

import { build } from 'esbuild';

/**
 * Makes `lib`: a file for each entry of `exports`. They share chunks, so that each module is there once. Six hundred
 * modules of their own take twice the processor to load, and 12 MB more. Names and lines stay, for whoever reads a stack.
 * What is used of packages is in it, but for those of `installed`. Resolves with what esbuild says of the files.
 */
export async function bundleLibrary({ exports: entries }, installed, root, outFolder) {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    // Of each package the modules that need no `require`.
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'node20.19',
    external: [...builtinModules, 'node:*', ...installed],
    entryPoints: Object.values(entries).flatMap(entryPoint),
    outdir: `${outFolder}/lib`,
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    format: 'esm',
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return metafile;
}

/** The source of an entry, and the name of its file. */
function entryPoint({ types, default: file }) {
  if (types === undefined) return [];
  return [
    { in: types.replace('./dist/types/', '').replace('.d.ts', '.ts'), out: path.basename(file, '.js') },
  ];
}
