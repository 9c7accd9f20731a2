// Packs the built project to reports/hitl.tgz and uses it as a stranger would: installed without development
// dependencies, started, and every entry of `exports` imported.
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const packedBudgetBytes = 2_000_000;

const root = path.resolve(import.meta.dirname, '..');
const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
const reports = path.join(root, 'reports');
const tarball = path.join(reports, 'hitl.tgz');
const consumer = await mkdtemp(path.join(tmpdir(), 'hitl-package-'));

try {
  const files = await pack();
  await checkContents(files);
  await install();
  checkProgram();
  checkLibrary();
  console.log(
    `package: ${files.length} files, ${(await stat(tarball)).size} bytes packed, installs and runs`,
  );
} finally {
  await rm(consumer, { recursive: true, force: true });
}

async function pack() {
  await mkdir(reports, { recursive: true });
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', reports];
  const [packed] = Object.values(JSON.parse(run('npm', args, root)));
  await rename(path.join(reports, packed.filename), tarball);
  return packed.files.map((file) => file.path);
}

async function checkContents(files) {
  const wanted = ['LICENSE', 'README.md', 'package.json', 'dist/bin/hitl.js', ...entryFiles()];
  const missing = wanted.filter((file) => !files.includes(file));
  const unwanted = files.filter((file) => /(^|\/)(test|node_modules)\/|\.test\.|(?<!\.d)\.ts$/.test(file));
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
