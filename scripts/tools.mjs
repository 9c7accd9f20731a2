// The packages of `tools/`: `node scripts/tools.mjs` installs all of them, `… code peers` these, and
// `… code --run knip --fix` installs `code` and runs a program of it with the arguments that follow. `--missing` names
// those of all that are not there.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const tools = path.resolve(import.meta.dirname, '../tools');
/** Installed where it is named, and not with all. */
const BY_NAME_ALONE = new Set(['mcp-servers']);

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2));

/** Whether a package of `tools/` is there as its lockfile has it. */
export function isInstalled(name) {
  const stamp = stampOf(name);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lockOf(name);
}

/** Installs a package of `tools/`, unless it is there. */
export function install(name) {
  if (isInstalled(name)) return;
  execFileSync('npm', ['ci', '--prefer-offline', '--loglevel=error'], {
    cwd: path.join(tools, name),
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(stampOf(name), lockOf(name));
}

function main(args) {
  if (args[0] === '--missing') {
    for (const name of readdirSync(tools).filter(isForAll)) if (!isInstalled(name)) console.log(name);
    return;
  }
  const at = args.indexOf('--run');
  const [names, [program, ...given]] = at === -1 ? [args, []] : [args.slice(0, at), args.slice(at + 1)];
  const wanted = names.length > 0 ? names : readdirSync(tools).filter(isForAll);
  const unknown = wanted.filter((name) => !existsSync(manifestOf(name)));
  if (unknown.length > 0) throw new Error(`no package in tools/: ${unknown.join(', ')}`);
  for (const name of wanted) install(name);
  if (program === undefined) return;
  const file = path.join(tools, wanted[0], 'node_modules/.bin', program);
  process.exitCode = spawnSync(file, given, { stdio: 'inherit' }).status ?? 1;
}

function isForAll(name) {
  return existsSync(manifestOf(name)) && !BY_NAME_ALONE.has(name);
}

function manifestOf(name) {
  return path.join(tools, name, 'package.json');
}

function stampOf(name) {
  return path.join(tools, name, 'node_modules/.installed');
}

function lockOf(name) {
  const lockfile = readFileSync(path.join(tools, name, 'package-lock.json'));
  return createHash('sha256').update(lockfile).digest('hex');
}
