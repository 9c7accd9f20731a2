// Builds `dist`: the library as plain compiler output, the program as a split bundle that starts fast.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { withoutNumbers } from './house-numbers.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const { version, peerDependencies = {} } = JSON.parse(
  await readFile(new URL('../package.json', import.meta.url), 'utf8'),
);

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'linked',
  // jiti loads a second file of its own when it first meets TypeScript; peers are there or not at run time.
  external: ['jiti', ...Object.keys(peerDependencies)],
  define: { HITL_VERSION: JSON.stringify(version), 'process.env.NODE_ENV': '"production"' },
  logLevel: 'warning',
};

/** What is loaded before there is anything to see, and the name of its file. */
const first = {
  'bin/hitl.ts': 'hitl',
  'commands/program/quick-list.ts': 'list',
  'commands/screen/theme.ts': 'theme',
  'commands/program/main.ts': 'program',
  'commands/chat.ts': 'chat',
  'commands/inbox.ts': 'inbox',
  'commands/answer.ts': 'answer',
};

// Built aside and swapped in, so that a running program never sees half a build.
const building = `dist.building-${process.pid}`;
try {
  await Promise.all([bundleProgram(), compileLibrary()]);
  await takeNumbersOut();
  await rm(path.join(root, 'dist'), { recursive: true, force: true });
  await rename(path.join(root, building), path.join(root, 'dist'));
} finally {
  await rm(path.join(root, building), { recursive: true, force: true });
}

/**
 * `hitl.js` starts, and holds nothing. The other files beside it are one file each, because every file that is loaded
 * costs time; they are CommonJS, because starting Node's loader of ES modules takes longer than `hitl list` may. What
 * they load later, and what nobody waits for, is in `chunks`, as ES modules that share code.
 */
async function bundleProgram() {
  const later = new Map();
  await build({
    ...common,
    entryPoints: Object.fromEntries(Object.entries(first).map(([file, name]) => [name, file])),
    outdir: `${building}/bin`,
    format: 'cjs',
    plugins: [splitOff(later), lazyBuiltins()],
    logOverride: { 'empty-import-meta': 'silent' }, // the version is written in; only source code looks for its file
  });
  await writeFile(path.join(root, building, 'bin/package.json'), '{ "type": "commonjs" }\n');
  await writeHelpIn();
  await chmod(path.join(root, building, 'bin/hitl.js'), 0o755);
  await build({
    ...common,
    entryPoints: Object.fromEntries(later),
    outdir: `${building}/bin/chunks`,
    chunkNames: '[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    splitting: true,
    format: 'esm',
    // CommonJS dependencies inside an ES module bundle still call `require` for Node's own modules.
    banner: {
      js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);",
    },
  });
}

/** The help takes longer to make than to print: `hitl.js` is built again, with what the program that was built says. */
async function writeHelpIn() {
  const help = execFileSync(process.execPath, [path.join(root, building, 'bin/hitl.js'), '--help'], {
    encoding: 'utf8',
  });
  await build({
    ...common,
    entryPoints: { hitl: 'bin/hitl.ts' },
    outdir: `${building}/bin`,
    format: 'cjs',
    plugins: [splitOff(new Map())],
    define: { ...common.define, HITL_HELP: JSON.stringify(help) },
    logOverride: { 'empty-import-meta': 'silent' },
  });
}

/** Leaves what is imported on demand out of the bundle that imports it, and collects what is to be a chunk. */
function splitOff(later) {
  const name = 'split-off';
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ kind, path: wanted, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = path.relative(root, path.resolve(resolveDir, wanted)).replace(/\.js$/, '.ts');
      if (source in first) return { path: `./${first[source]}.js`, namespace: name };
      const chunk = source.replace(/^commands\/|\.ts$/g, '').replaceAll('/', '-');
      later.set(chunk, source);
      return { path: `./chunks/${chunk}.mjs`, external: true };
    });
    onResolve({ filter: /^/, namespace: name }, ({ path: file }) => ({ path: file, external: true }));
    // `import()` would start the loader of ES modules.
    onLoad({ filter: /^/, namespace: name }, ({ path: file }) => ({
      contents: `module.exports = require(${JSON.stringify(file)});`,
    }));
  };
  return { name, setup };
}

/** Modules of Node that take a millisecond or more are loaded at the first call of one of their functions. */
function lazyBuiltins() {
  const name = 'lazy-builtins';
  const setup = ({ onResolve, onLoad }) => {
    onResolve(
      { filter: /^node:(child_process|crypto|fs\/promises|timers\/promises|zlib)$/ },
      ({ path: builtin, namespace }) =>
        namespace === name ? { path: builtin, external: true } : { path: builtin, namespace: name },
    );
    onLoad({ filter: /^/, namespace: name }, ({ path: builtin }) => ({
      contents: Object.entries(require(builtin))
        .filter(([key, value]) => typeof value === 'function' && /^[a-z]/.test(key))
        .map(([key]) => `export const ${key} = (...given) => require('${builtin}').${key}(...given);`)
        .join('\n'),
    }));
  };
  return { name, setup };
}

/** The compiler takes as long as all bundles; types are checked by `npm run types`, and not again here. */
async function compileLibrary() {
  const compiler = require.resolve('typescript/bin/tsc');
  const args = ['-p', 'tsconfig.build.json', '--noCheck', '--outDir', building];
  const child = spawn(process.execPath, [compiler, ...args], { cwd: root, stdio: 'inherit' });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`the library does not compile: tsc ended with ${status}`);
}

/** Numbers of laws and cases lead a reader of the source further, and a user of the package nowhere. */
async function takeNumbersOut() {
  const folder = path.join(root, building);
  const declarations = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
  for (const name of declarations) {
    const file = path.join(folder, name);
    const text = await readFile(file, 'utf8');
    const plain = withoutNumbers(text);
    if (plain !== text) await writeFile(file, plain);
  }
}
