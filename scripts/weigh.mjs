// `npm run weigh`: the size of the tarball, and the size and the time of installing it and of `npm ci` in a clone of the
// last commit, as a table. Times are those of this machine, its network and its cache.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { pack } from './pack.mjs';

const root = path.resolve(import.meta.dirname, '..');
const folder = mkdtempSync(path.join(tmpdir(), 'hitl-weigh-'));

try {
  const { tarball, files } = await pack();
  const rows = [['tarball', megabytes(lstatSync(tarball).size), `${files.length} files`, '']];
  const project = path.join(folder, 'project');
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), '{ "private": true }\n');
  rows.push(
    installed('npm install of the tarball', project, ['install', '--no-audit', '--no-fund', tarball]),
  );
  const clone = path.join(folder, 'clone');
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${root}`, clone], { stdio: 'inherit' });
  rows.push(installed('npm ci in a clone', clone, ['ci', '--no-audit', '--no-fund']));
  const widths = [0, 1, 2, 3].map((at) => Math.max(...rows.map((row) => row[at].length)));
  for (const row of rows)
    console.log(
      row
        .map((cell, at) => cell.padEnd(widths[at]))
        .join('  ')
        .trimEnd(),
    );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Installs with npm, and tells what came of it: size, packages and seconds. */
function installed(what, cwd, args) {
  const began = Date.now();
  execFileSync('npm', args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const seconds = `${((Date.now() - began) / 1000).toFixed(1)} s`;
  const modules = path.join(cwd, 'node_modules');
  const { packages } = JSON.parse(readFileSync(path.join(modules, '.package-lock.json'), 'utf8'));
  return [what, megabytes(bytesIn(modules)), `${Object.keys(packages).length} packages`, seconds];
}

/** The bytes of all files below a folder; links are not followed. */
function bytesIn(place) {
  return readdirSync(place, { withFileTypes: true }).reduce((sum, entry) => {
    const below = path.join(place, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(below) : lstatSync(below).size);
  }, 0);
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
