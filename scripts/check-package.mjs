// Packs the built project to reports/hitl.tgz and uses it as a stranger would: installed without development
// dependencies, started, and every entry of `exports` imported. What it imports is what its manifest says, and what is
// built into it has its licence told.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { numbersIn } from './house-numbers.mjs';
import { pack } from './pack.mjs';

const packedBudgetBytes = 2_950_000;

/** An import of a package, with its quotation mark and its specifier. */
const IMPORT = /(?:^(?:im|ex)port\b[^;'"]*\bfrom |^import |\b(?:import|require)\()(["'])([a-z@][^'"]*)\1/gm;

/** The characters of the shortest licence: that of Apache is told in a line, for it is our own. */
const SHORTEST_NOTICE = 60;

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const tarball = path.join(root, 'reports/hitl.tgz');
const consumer = await mkdtemp(path.join(tmpdir(), 'hitl-package-'));
const installedFolder = path.join(consumer, 'node_modules', manifest.name);

try {
  const packed = await pack();
  await rename(packed.tarball, tarball);
  await checkContents(packed.files);
  await install();
  await checkInstalled();
  await checkImports();
  await checkNotices();
  checkProgram();
  checkLibrary();
  console.log(
    `package: ${packed.files.length} files, ${(await stat(tarball)).size} bytes packed, installs and runs`,
  );
} finally {
  await rm(consumer, { recursive: true, force: true });
}

async function checkContents(files) {
  const wanted = [
    'LICENSE',
    'README.md',
    'package.json',
    'dist/NOTICES.txt',
    'dist/bin/hitl.js',
    ...entryFiles(),
  ];
  const missing = wanted.filter((file) => !files.includes(file));
  const unwanted = files.filter(
    (file) =>
      !file.startsWith('examples/') && /(^|\/)(test|node_modules)\/|\.test\.|(?<!\.d)\.ts$/.test(file),
  );
  const { size } = await stat(tarball);
  if (missing.length > 0) throw new Error(`not in the package: ${missing.join(', ')}`);
  if (unwanted.length > 0) throw new Error(`should not be in the package: ${unwanted.join(', ')}`);
  if (size > packedBudgetBytes) throw new Error(`packed size is ${size} bytes, budget ${packedBudgetBytes}`);
}

async function install() {
  await writeFile(path.join(consumer, 'package.json'), '{ "private": true, "type": "module" }\n');
  run(
    'npm',
    ['install', '--omit=dev', '--engine-strict', '--prefer-offline', '--no-audit', tarball],
    consumer,
  );
}

/** What stands in the package is for its users: no scripts, links that lead somewhere, no numbers of our own. */
async function checkInstalled() {
  const folder = installedFolder;
  const { scripts = {}, devDependencies } = JSON.parse(
    await readFile(path.join(folder, 'package.json'), 'utf8'),
  );
  const faults = Object.keys(scripts).map((name) => `a script in the manifest: ${name}`);
  if (devDependencies !== undefined) faults.push('development dependencies in the manifest');
  const files = await readdir(folder, { recursive: true });
  for (const file of files.filter((name) => name.endsWith('.d.ts'))) {
    const text = await readFile(path.join(folder, file), 'utf8');
    faults.push(...numbersIn(text).map((number) => `a number of our own in ${file}: ${number}`));
  }
  for (const file of files.filter((name) => /^(README|SECURITY|docs\/.*)\.md$/.test(name))) {
    const text = await readFile(path.join(folder, file), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)/g)].map(([, link]) =>
      path.join(path.dirname(file), link),
    );
    const broken = links.filter((link) => !/:/.test(link) && !existsSync(path.join(folder, link)));
    faults.push(...broken.map((link) => `${file} links to ${link}`));
  }
  for (const name of manifest.files.filter((name) => name.startsWith('!'))) {
    if (!existsSync(path.join(root, name.slice(1))))
      faults.push(`it leaves out ${name.slice(1)}, which is not there`);
  }
  if (faults.length > 0) throw new Error(`in the package:\n${faults.join('\n')}`);
}

/** What `dist` imports is in the manifest, and what the manifest has `dist` names. Declarations of others are of peers. */
async function checkImports() {
  const peers = Object.keys(manifest.peerDependencies);
  const installed = [...Object.keys(manifest.dependencies), ...peers];
  const unnamed = new Set(installed);
  const faults = [];
  for (const [file, text] of await textsIn('dist')) {
    const known = file.endsWith('.d.ts') ? [manifest.name, ...peers] : installed;
    for (const [, , specifier] of text.matchAll(IMPORT)) {
      const name = packageOf(specifier);
      if (!isBuiltin(specifier) && !known.includes(name)) faults.push(`${file} imports ${name}`);
    }
    for (const name of unnamed) if (new RegExp(`["']${name}["'/]`).test(text)) unnamed.delete(name);
  }
  faults.push(...[...unnamed].map((name) => `nothing in dist names ${name}`));
  if (faults.length > 0) throw new Error(`in the package:\n${faults.join('\n')}`);
}

/** The packages whose code is in `dist` are those whose licence is told, each with its text. */
async function checkNotices() {
  const text = await readFile(path.join(installedFolder, 'dist/NOTICES.txt'), 'utf8');
  const sections = text.split(/^=+\n/m).slice(1);
  const told = sections.map((section) => /^\S+(?= \S+ \()/.exec(section)?.[0]);
  const faults = sections
    .filter((section) => section.length < SHORTEST_NOTICE)
    .map((section) => `no licence: ${section}`);
  for (const [file, content] of await textsIn('dist')) {
    const whole = /^packages\/(.*)\.all\.js$/.exec(file)?.[1];
    // Of a scope the code may be in another package, which one hands on: `@inquirer/prompts` has none.
    if (whole !== undefined && !told.some((name) => scopeOf(name) === scopeOf(whole)))
      faults.push(`NOTICES.txt does not tell of ${whole}`);
    // The bundler writes the name of a module of the library above it.
    const inlined = content.matchAll(/^\/\/ node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)/gm);
    for (const name of new Set([...inlined].map(([, one]) => one)))
      if (!told.includes(name)) faults.push(`NOTICES.txt does not tell of ${name}, which is in dist/${file}`);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** The texts of the JavaScript and the declarations below a folder of the installed package, by names. */
async function textsIn(below) {
  const folder = path.join(installedFolder, below);
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:js|d\.ts)$/.test(name));
  return Promise.all(files.map(async (file) => [file, await readFile(path.join(folder, file), 'utf8')]));
}

function scopeOf(name) {
  return name.split('/', 1)[0];
}

function packageOf(specifier) {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

function checkProgram() {
  const version = run(path.join(consumer, 'node_modules/.bin/hitl'), ['--version'], consumer).trim();
  if (version !== manifest.version)
    throw new Error(`hitl --version says ${version}, not ${manifest.version}`);
}

function checkLibrary() {
  const names = Object.keys(manifest.exports).filter((name) => !/[*]|\.json$/.test(name));
  for (const name of names) {
    const specifier = path.posix.join(manifest.name, name);
    const script = `console.log(Object.keys(await import(${JSON.stringify(specifier)})).length)`;
    const count = Number(run(process.execPath, ['--input-type=module', '-e', script], consumer));
    if (!(count > 0)) throw new Error(`${specifier} exports nothing`);
  }
}

/** The files that `exports` names, without patterns. */
function entryFiles() {
  return Object.values(manifest.exports)
    .flatMap((entry) => (typeof entry === 'string' ? [entry] : Object.values(entry)))
    .filter((file) => !file.includes('*'))
    .map((file) => path.posix.normalize(file));
}

function run(command, args, cwd) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
