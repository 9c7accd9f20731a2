// `npm run pack`: makes `reports/hitl-<version>.tgz` of what is built, from a folder of its own in which stands what
// users need and nothing else: a manifest without scripts and development dependencies, of the declarations those that an
// entry of `exports` reaches, and pages without links to what only a clone has.
import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** What of the manifest is for the clone. */
const OF_THE_CLONE = ['scripts', 'devDependencies', 'allowScripts'];

if (process.argv[1] === import.meta.filename) {
  const { tarball, files } = await pack();
  console.log(`${path.relative(process.cwd(), tarball)}: ${files.length} files`);
}

/** Packs what is built. Resolves with the tarball and the files in it. */
export async function pack() {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8'));
  const reports = path.join(root, 'reports');
  const stage = await mkdtemp(path.join(tmpdir(), 'hitl-pack-'));
  try {
    await stageFiles(manifest, stage);
    await mkdir(reports, { recursive: true });
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', stage];
    const options = { cwd: stage, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
    const [packed] = Object.values(JSON.parse(execFileSync('npm', args, options)));
    const tarball = path.join(reports, packed.filename);
    await cp(path.join(stage, packed.filename), `${tarball}.new`);
    await rename(`${tarball}.new`, tarball);
    return { tarball, files: packed.files.map((file) => file.path) };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function stageFiles(manifest, stage) {
  const kept = Object.entries(manifest).filter(([key]) => !OF_THE_CLONE.includes(key));
  await writeFile(path.join(stage, 'package.json'), `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`);
  const used = await reached(manifest);
  const isUsed = (file) => !/^dist\/types\/.*\.d\.ts$/.test(file) || used.has(file);
  const filter = (from) =>
    isUsed(path.relative(root, from)) && !manifest.files.includes(`!${path.relative(root, from)}`);
  for (const name of ['README.md', 'LICENSE', ...manifest.files.filter((name) => !name.startsWith('!'))]) {
    await cp(path.join(root, name), path.join(stage, name), { recursive: true, filter });
  }
  for (const file of await readdir(stage, { recursive: true })) {
    if (file.endsWith('.md')) await cutDeadLinks(path.join(stage, file));
  }
}

/** Takes the links to files that are not there out of a page; their words stay. */
async function cutDeadLinks(page) {
  const text = await readFile(page, 'utf8');
  const kept = text.replaceAll(/\[([^\][]+)\]\(([^)#\s]+)(?:#[^)\s]*)?\)/g, (link, words, target) =>
    target.includes(':') || existsSync(path.join(path.dirname(page), target)) ? link : words,
  );
  if (kept !== text) await writeFile(page, kept);
}

/** The declarations that the entries of the package reach, as paths from the root. */
async function reached({ exports }) {
  const seen = new Set();
  for (const { types } of Object.values(exports)) {
    if (types !== undefined) await reach(path.posix.normalize(types), seen);
  }
  return seen;
}

async function reach(file, seen) {
  if (seen.has(file) || !existsSync(path.join(root, file))) return;
  seen.add(file);
  const text = await readFile(path.join(root, file), 'utf8');
  for (const [, wanted] of text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)\.js["']/g)) {
    await reach(`${path.posix.join(path.posix.dirname(file), wanted)}.d.ts`, seen);
  }
}
