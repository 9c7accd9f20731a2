// The package of `tools/`: `node scripts/tools.mjs` installs it where it is not there, and `… knip --fix` runs a program
// of it then, with the arguments that follow. `--missing` says whether it is not there, and installs nothing.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const tools = path.resolve(import.meta.dirname, '../tools');
const modules = path.join(tools, 'node_modules');
const lockfile = readFileSync(path.join(tools, 'package-lock.json'), 'utf8');
/** The lockfile by which it was installed. */
const stamp = path.join(modules, '.installed');

/** Whether the package is there as its lockfile has it. */
export function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockfile;
}

/** Installs the package, unless it is there. Some of it names a newer Node than ours, which `npm run` would refuse. */
export function install() {
  if (isInstalled()) return;
  execFileSync('npm', ['ci', '--prefer-offline', '--loglevel=error', '--engine-strict=false'], {
    cwd: tools,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stamp, lockfile);
}

if (process.argv[1] === import.meta.filename) {
  const [program, ...given] = process.argv.slice(2);
  if (program === '--missing') {
    if (!isInstalled()) console.log('tools');
  } else {
    install();
    if (program !== undefined) {
      const bin = path.join(modules, '.bin');
      const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` }; // one may start another
      process.exitCode = spawnSync(path.join(bin, program), given, { stdio: 'inherit', env }).status ?? 1;
    }
  }
}
