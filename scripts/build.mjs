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

const PROGRAM = 'commands/program/main.ts';
const REPORT = 'commands/program/report.ts';
const EVERY_COMMAND = 'commands/program/program.ts';

/** The files of the program, by the command that loads them, and what of its imports on demand each holds too. */
const programs = {
  program: [EVERY_COMMAND, REPORT, 'commands/program/tell-topic.ts', 'commands/program/offer-tour.ts'],
  chat: ['commands/chat.ts', REPORT],
  answer: ['commands/answer.ts', REPORT],
  inbox: ['commands/inbox.ts', EVERY_COMMAND, REPORT],
};

/** What else is loaded before there is anything to see, and the name of its file. */
const first = {
  'bin/hitl.ts': 'hitl',
  'commands/program/quick-list.ts': 'list',
  'commands/store/store.ts': 'store',
  'commands/screen/theme.ts': 'theme',
};

/** The file of the program for the command that was given: what is asked most loads one that holds nothing else. */
const programFor = [
  ...Object.keys(programs)
    .filter((command) => command !== 'program')
    .map((command) => `process.argv[2] === '${command}' ? require('./${command}.js')`),
  "require('./program.js')",
].join(' : ');

/** What is big, and seldom wanted of the commands: a chunk each. What else they load on demand stands in their file. */
const apart = [
  'sessions/postgres/index.ts',
  'src/human/look/highlight-code.ts',
  'src/models/anthropic/index.ts',
];

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
 * the light ones load later is in the file of all commands, so that the most is there once. Only what is big and
 * seldom wanted is a chunk, as an ES module.
 */
async function bundleProgram() {
  const [later, chunks] = [new Set(), new Set()];
  await bundleFirst(first, onDemand({ later, chunks }));
  for (const [file, inline] of Object.entries(programs))
    await bundleFirst({ [PROGRAM]: file }, onDemand({ later, chunks, inline }));
  await bundleFirst({ all: 'all' }, onDemand({ chunks, holds: later }));
  await writeFile(path.join(root, building, 'bin/package.json'), '{ "type": "commonjs" }\n');
  const importer = 'module.exports = (specifier) => import(specifier);\n';
  await writeFile(path.join(root, building, 'bin/import.cjs'), importer);
  for (const file of ['all', ...Object.keys(programs), ...Object.values(first)])
    await finishCode(path.join(root, building, `bin/${file}.js`));
  await writeHelpIn();
  await chmod(path.join(root, building, 'bin/hitl.js'), 0o755);
  await build({
    ...common,
    entryPoints: Object.fromEntries([...chunks].map((source) => [chunkOf(source), source])),
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

/** Makes a file of each, in CommonJS. */
async function bundleFirst(files, plugin, define = {}) {
  await build({
    ...common,
    entryPoints: Object.fromEntries(Object.entries(files).map(([file, name]) => [name, file])),
    outdir: `${building}/bin`,
    format: 'cjs',
    plugins: [plugin, lazyBuiltins()],
    define: {
      ...common.define,
      ...define,
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
  });
}

/**
 * On Node 20 code that was compiled earlier cannot import ES modules: a file beside it, which is compiled each time,
 * does that in its place. And what esbuild leaves in regular expressions and templates is escaped too: one letter beyond
 * ASCII makes the whole text twice as large in memory, and slower to read.
 */
async function finishCode(file) {
  const text = await readFile(file, 'utf8');
  const led = text.replaceAll(/(?<![\w$.])import\((?="|\(0,|[\w$]+\))/g, "require('./import.cjs')(");
  if (/[^\w$.]import\(/.test(led)) throw new Error(`${file} imports in a way that is not led`);
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(led)) throw new Error(`${file} has a raw text that is not ASCII`);
  await writeFile(file, led.replaceAll(/[^\0-\x7f]/g, escaped));
}

function escaped(unit) {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The help takes longer to make than to print: `hitl.js` is built again, with what the program that was built says. */
async function writeHelpIn() {
  const help = execFileSync(process.execPath, [path.join(root, building, 'bin/hitl.js'), '--help'], {
    encoding: 'utf8',
  });
  const unused = { later: new Set(), chunks: new Set() };
  await bundleFirst({ 'bin/hitl.ts': 'hitl' }, onDemand(unused), { HITL_HELP: JSON.stringify(help) });
}

/**
 * Leads what is imported on demand to where it is: a file of its own, a chunk, or the file of all commands.
 * @param later collects what that file has to hold; absent for that file itself, which holds it
 * @param chunks collects the chunks
 * @param holds what the file of all commands gives to the others
 * @param inline what a file of the program holds of it
 */
function onDemand({ later, chunks, holds, inline }) {
  const name = 'on-demand';
  const isWhole = inline !== undefined || holds !== undefined;
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ kind, path: wanted, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = path.relative(root, path.resolve(resolveDir, wanted)).replace(/\.js$/, '.ts');
      if (source === PROGRAM) return { path: programFor, namespace: name };
      if (inline?.includes(source) === true || (source in first && isWhole)) return undefined;
      // A file for one conversation command is loaded for no other.
      if (source === EVERY_COMMAND) return { path: 'undefined', namespace: name };
      if (source in first) return { path: `require('./${first[source]}.js')`, namespace: name };
      if (apart.includes(source)) {
        chunks.add(source);
        return { path: `./chunks/${chunkOf(source)}.mjs`, external: true };
      }
      if (later === undefined) return undefined;
      later.add(source);
      return { path: `require('./all.js')[${JSON.stringify(source)}]`, namespace: name };
    });
    onResolve({ filter: /^\.\/[a-z]+\.js$/, namespace: name }, ({ path: file }) => ({
      path: file,
      external: true,
    }));
    // `import()` would start the loader of ES modules.
    onLoad({ filter: /^/, namespace: name }, ({ path: value }) => ({
      contents: `module.exports = ${value};`,
    }));
    if (holds === undefined) return;
    onResolve({ filter: /^all$/ }, () => ({ path: 'all', namespace: 'all' }));
    onLoad({ filter: /^/, namespace: 'all' }, () => ({
      contents: `module.exports = {${[...holds].map(getter).join('')}};`,
      resolveDir: root,
    }));
  };
  return { name, setup };
}

/** A member that runs a source file when it is wanted first. */
function getter(source) {
  return `get ${JSON.stringify(source)}() { return require('./${source}'); },`;
}

function chunkOf(source) {
  return source.replace(/^commands\/|\.ts$/g, '').replaceAll('/', '-');
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
