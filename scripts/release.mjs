// `npm run release -- 0.2.0 [--dry-run]`: the version, the section of the changelog, what is made from the program, the
// tarball, a commit and a tag. Nothing is published. A dry run says what would be done, and changes nothing.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const root = process.cwd();
const args = process.argv.slice(2);
const dryRun = args.includes('--dry-run');
const [version] = args.filter((arg) => !arg.startsWith('--'));

try {
  await release();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}

async function release() {
  const manifest = await read('package.json');
  const changes = await read('CHANGELOG.md');
  const from = JSON.parse(manifest).version;
  check(from);
  const notes = notesOf(changes);
  const day = new Date().toISOString().slice(0, 10);
  const tarball = `reports/hitl-${version}.tgz`;
  const steps = [
    [`version ${from} → ${version} in package.json and package-lock.json`, () => setVersion(from)],
    [
      `CHANGELOG.md: ${notes.split('\n').length} lines of Unreleased become “${version} (${day})”`,
      () =>
        write(
          'CHANGELOG.md',
          changes.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${day})\n`),
        ),
    ],
    ['npm run build', () => run('npm', ['run', '--silent', 'build'])],
    ['npm run reference', () => run('npm', ['run', '--silent', 'reference'])],
    ['npm run pictures', () => run('npm', ['run', '--silent', 'pictures'])], // they show the version
    [`npm run pack: ${tarball}`, () => run('npm', ['run', '--silent', 'pack'])],
    [`reports/hitl-${version}.md: what is new, for whoever announces it`, () => writeNotes(notes)],
    [
      `commit “release: ${version}”`,
      () => run('git', ['commit', '--quiet', '--all', '-m', `release: ${version}`]),
    ],
    [`tag v${version}`, () => run('git', ['tag', '-a', `v${version}`, '-m', `hitl ${version}`])],
  ];
  for (const [told, act] of steps) {
    console.log(dryRun ? `would do: ${told}` : told);
    if (!dryRun) await act();
  }
  console.log(dryRun ? 'nothing was changed' : `publish it with: npm publish ${tarball}`);
}

function check(from) {
  if (!/^\d+\.\d+\.\d+$/.test(version ?? ''))
    throw new Error('usage: npm run release -- <version> [--dry-run]');
  if (!isAfter(version, from)) throw new Error(`${version} does not come after ${from}`);
  if (run('git', ['status', '--porcelain']) !== '')
    throw new Error('there are changes that are not committed');
  if (run('git', ['tag', '--list', `v${version}`]) !== '')
    throw new Error(`the tag v${version} is there already`);
}

function isAfter(one, other) {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && a[at] > b[at];
}

/** The lines below “Unreleased”. */
function notesOf(changes) {
  const [, notes] = /^## Unreleased\n(.*?)(?=^## |(?![^]))/msu.exec(changes) ?? [];
  if (notes === undefined) throw new Error('CHANGELOG.md has no section “Unreleased”');
  if (notes.trim() === '') throw new Error('“Unreleased” of CHANGELOG.md is empty: nothing to release');
  return notes.trim();
}

async function setVersion(from) {
  for (const name of ['package.json', 'package-lock.json']) {
    // The first ones are those of the project itself: at the top, and in a lockfile once more as its package "".
    let left = name === 'package.json' ? 1 : 2;
    const text = await read(name);
    await write(
      name,
      text.replaceAll(`"version": "${from}"`, (found) => (left-- > 0 ? `"version": "${version}"` : found)),
    );
  }
}

async function writeNotes(notes) {
  await mkdir(path.join(root, 'reports'), { recursive: true });
  await write(`reports/hitl-${version}.md`, `${notes}\n`);
}

function read(name) {
  return readFile(path.join(root, name), 'utf8');
}

function write(name, text) {
  return writeFile(path.join(root, name), text);
}

function run(command, given) {
  return execFileSync(command, given, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim();
}
