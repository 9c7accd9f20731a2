// Builds `dist`: the library as plain compiler output, the program as a split bundle that starts fast.
import { execFileSync } from 'node:child_process';
import { chmod, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { version, peerDependencies = {} } = JSON.parse(
  await readFile(new URL('../package.json', import.meta.url), 'utf8'),
);

// Built aside and swapped in, so that a running program never sees half a build.
const building = `dist.building-${process.pid}`;
try {
  await bundleProgram();
  compileLibrary();
  await rm(path.join(root, 'dist'), { recursive: true, force: true });
  await rename(path.join(root, building), path.join(root, 'dist'));
} finally {
  await rm(path.join(root, building), { recursive: true, force: true });
}

async function bundleProgram() {
  await build({
    absWorkingDir: root,
    entryPoints: { hitl: 'bin/hitl.ts' },
    outdir: `${building}/bin`,
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    // jiti loads a second file of its own when it first meets TypeScript; peers are there or not at run time.
    external: ['jiti', ...Object.keys(peerDependencies)],
    define: { HITL_VERSION: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' },
    // CommonJS dependencies inside an ES module bundle still call `require` for Node's own modules.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
  await chmod(path.join(root, building, 'bin/hitl.js'), 0o755);
}

function compileLibrary() {
  execFileSync(
    process.execPath,
    [require.resolve('typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', building],
    {
      cwd: root,
      stdio: 'inherit',
    },
  );
}
