// Packs the built project to reports/hitl.tgz and uses it as a stranger would: installed without development
// dependencies, started, and every entry of `exports` imported.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { numbersIn } from './house-numbers.mjs';
import { pack } from './pack.mjs';

const packedBudgetBytes = 2_900_000;

/** Pages about the work on the project link to what only a clone has. */
const OF_THE_CLONE = /^(bench|scripts|test|tools)\//;

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const tarball = path.join(root, 'reports/hitl.tgz');
const consumer = await mkdtemp(path.join(tmpdir(), 'hitl-package-'));

try {
  const packed = await pack();
  await rename(packed.tarball, tarball);
  await checkContents(packed.files);
  await install();
  await checkInstalled();
  checkProgram();
  checkLibrary();
  console.log(
    `package: ${packed.files.length} files, ${(await stat(tarball)).size} bytes packed, installs and runs`,
  );
} finally {
  await rm(consumer, { recursive: true, force: true });
}

async function checkContents(files) {
  const wanted = ['LICENSE', 'README.md', 'package.json', 'dist/bin/hitl.js', ...entryFiles()];
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
  const folder = path.join(consumer, 'node_modules', manifest.name);
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
    faults.push(
      ...broken.filter((link) => !OF_THE_CLONE.test(link)).map((link) => `${file} links to ${link}`),
    );
  }
  if (faults.length > 0) throw new Error(`in the package:\n${faults.join('\n')}`);
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
