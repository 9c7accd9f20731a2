// Builds `dist`: library and program as split bundles that start fast, and the types of the library.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';

import { bundleLibrary } from './bundle-library.mjs';
import { withoutNumbers } from './house-numbers.mjs';
import { lateModules } from './late-modules.mjs';
import { lazyBuiltins } from './lazy-builtins.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
const { version, peerDependencies = {} } = manifest;

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

const commonJs = {
  ...common,
  format: 'cjs',
  define: { ...common.define, 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};

const PROGRAM = 'commands/program/main.ts';
const REPORT = 'commands/program/report.ts';
const EVERY_COMMAND = 'commands/program/program.ts';

/** What `chat` loads at a terminal before there is something to see, and what of its imports on demand it holds too. */
const chat = ['commands/chat.ts', REPORT];

/** The files for what scripts wait for: by command, and what of its imports on demand each holds. */
const scripted = {
  inbox: ['commands/inbox.ts', EVERY_COMMAND, REPORT],
  answer: ['commands/answer.ts', REPORT],
  talk: [
    'commands/chat.ts',
    'commands/resume.ts',
    'commands/running/new-chat.ts',
    'commands/demo-agent/index.ts',
    REPORT,
  ],
};

/** What else is loaded before there is anything to see, and the name of its file. */
const first = {
  'bin/hitl.ts': 'hitl',
  'commands/program/quick-list.ts': 'list',
  'commands/store/store.ts': 'store',
  'commands/screen/theme.ts': 'theme',
};

/** The file of the program for the words that were given. For the first prompt of `chat` a person waits. */
const programFor = `(([command, ...words]) => {
  if (command === 'inbox') return require('./inbox.js');
  if (command === 'answer') return require('./answer.js');
  if (command === 'chat' && !words.some((word) => word === '-p' || word === '--print') && require('node:tty').isatty(0))
    return require('./chat.js');
  return command === 'chat' || command === 'resume' ? require('./talk.js') : require('./all.js')['${PROGRAM}'];
})(process.argv.slice(2))`;

/** What is big, and seldom wanted of the commands: a chunk each. What else they load on demand stands in their file. */
const apart = [
  'sessions/postgres/index.ts',
  'src/human/look/highlight-code.ts',
  'src/models/anthropic/index.ts',
];

// Built aside and swapped in, so that a running program never sees half a build.
const building = `dist.building-${process.pid}`;
try {
  await Promise.all([bundleProgram(), bundleLibrary(manifest, root, building), compileLibrary()]);
  await takeNumbersOut();
  await rm(path.join(root, 'dist'), { recursive: true, force: true });
  await rename(path.join(root, building), path.join(root, 'dist'));
} finally {
  await rm(path.join(root, building), { recursive: true, force: true });
}

/**
 * `hitl.js` starts, and holds nothing. The other files beside it are one file each, because every file that is loaded
 * costs time; they are CommonJS, because starting Node's loader of ES modules takes longer than `hitl list` may. Those
 * of what is asked most hold no more than is used. All else is in the file of all commands, whose modules run at their
 * first use. Only what is big and seldom wanted is a chunk, as an ES module.
 */
async function bundleProgram() {
  const [later, chunks] = [new Set([PROGRAM]), new Set()];
  await bundleFirst(first, [onDemand({ later, chunks })]);
  await bundleFirst({ [PROGRAM]: 'chat' }, [atOnce(chat), onDemand({ later, chunks, inline: chat })]);
  await bundleLate(later, chunks);
  await writeFile(path.join(root, building, 'bin/package.json'), '{ "type": "commonjs" }\n');
  const importer = 'module.exports = (specifier) => import(specifier);\n';
  await writeFile(path.join(root, building, 'bin/import.cjs'), importer);
  for (const file of ['all', 'chat', ...Object.keys(scripted), ...Object.values(first)])
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

/** Makes the files whose modules run at their first use: of scripted commands, and of all, which gives the others the rest. */
async function bundleLate(later, chunks) {
  const files = await Promise.all(
    ['src', 'sessions', 'commands'].map(async (folder) =>
      (await readdir(path.join(root, folder), { recursive: true }))
        .filter((name) => name.endsWith('.ts'))
        .map((name) => path.join(folder, name)),
    ),
  );
  const late = await lateModules({ root, sources: files.flat(), common: commonJs });
  const define = { ...commonJs.define, HITL_FORMS: JSON.stringify(JSON.stringify(await formsOfTools())) };
  const made = (name, contents, plugin) =>
    build({
      ...commonJs,
      define,
      stdin: { contents, resolveDir: root },
      outfile: `${building}/bin/${name}.js`,
      plugins: [plugin, late.plugin],
      banner: { js: late.head },
    });
  for (const [name, inline] of Object.entries(scripted))
    await made(name, `module.exports = require('./${PROGRAM}');`, onDemand({ later, chunks, inline }));
  await made('all', `module.exports = {${[...later].map(getter).join('')}};`, onDemand({ chunks }));
}

/** What a model is told of the schemas of our tools: making the schemas takes longer than all else of a start. */
async function formsOfTools() {
  const file = path.join(root, building, 'forms.mjs');
  const contents = `
    export { builtinTools } from './src/tools/index.js';
    export { demoTools } from './commands/demo-agent/index.js';
    export { systemClock as clock } from './src/library/system-clock.js';`;
  await build({
    ...common,
    stdin: { contents, resolveDir: root },
    format: 'esm',
    packages: 'external',
    outfile: file,
  });
  const { builtinTools, demoTools, clock } = await import(file);
  await rm(file);
  const tools = [...builtinTools({ cwd: root, home: root, env: {}, clock }), ...demoTools({ clock })];
  return Object.fromEntries(
    tools.flatMap(({ name, inputSchema, outputSchema }) => [
      [`${name} input`, inputSchema],
      [`${name} output`, outputSchema],
    ]),
  );
}

/** Makes a file of each, in CommonJS. */
async function bundleFirst(files, plugins, define = {}) {
  await build({
    ...commonJs,
    entryPoints: Object.fromEntries(Object.entries(files).map(([file, name]) => [name, file])),
    outdir: `${building}/bin`,
    plugins: [...plugins, lazyBuiltins()],
    define: { ...commonJs.define, ...define },
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
  await bundleFirst({ 'bin/hitl.ts': 'hitl' }, [onDemand(unused)], { HITL_HELP: JSON.stringify(help) });
}

/**
 * Leads what is imported on demand to where it is: a file of its own, a chunk, or the file of all commands.
 * @param later collects what that file has to hold; absent for that file itself
 * @param chunks collects the chunks
 * @param inline what a file holds of it; absent for a file of one thing
 */
function onDemand({ later, chunks, inline }) {
  const name = 'on-demand';
  const setup = ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ kind, path: wanted, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined;
      const source = path.relative(root, path.resolve(resolveDir, wanted)).replace(/\.js$/, '.ts');
      if (apart.includes(source)) {
        chunks.add(source);
        return { path: `./chunks/${chunkOf(source)}.mjs`, external: true };
      }
      if (later === undefined || inline?.includes(source) === true) return undefined;
      if (source === PROGRAM) return { path: programFor, namespace: name };
      // A file for one conversation command is loaded for no other.
      if (source === EVERY_COMMAND) return { path: 'undefined', namespace: name };
      if (source in first) {
        if (inline !== undefined) return undefined;
        return { path: `require('./${first[source]}.js')`, namespace: name };
      }
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
  };
  return { name, setup };
}

/**
 * Imports at the start what a file holds of what is imported on demand: esbuild would make a function of each module
 * that it leads to, and have each look whether it ran.
 */
function atOnce(inline) {
  const setup = ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8');
      const held = [];
      const contents = text.replaceAll(/\bimport\('(\.\.?\/[^']+)\.js'\)/g, (found, wanted) => {
        const source = path.relative(root, path.resolve(path.dirname(file), `${wanted}.ts`));
        if (!inline.includes(source)) return found;
        held.push(`import * as held${held.length} from '${wanted}.js';\n`);
        return `Promise.resolve(held${held.length - 1})`;
      });
      return { contents: held.join('') + contents, loader: 'ts' };
    });
  };
  return { name: 'at-once', setup };
}

/** A member that runs a source file when it is wanted first. */
function getter(source) {
  return `get ${JSON.stringify(source)}() { return require('./${source}'); },`;
}

function chunkOf(source) {
  return source.replace(/^commands\/|\.ts$/g, '').replaceAll('/', '-');
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
