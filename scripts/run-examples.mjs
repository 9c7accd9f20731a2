// Runs every file at the top of `examples`: programs with tsx or node, shell scripts with `hitl` on the path.
// Folders below hold material. Each must end with status 0; where `<name>.out` stands beside it, print that.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const timeoutMs = 60_000;
const runners = { '.sh': ['bash'], '.ts': [process.execPath, '--import', 'tsx'], '.mjs': [process.execPath] };

const root = path.resolve(import.meta.dirname, '..');
const folder = path.join(root, 'examples');
const names = readdirSync(folder)
  .filter((name) => path.extname(name) in runners)
  .sort();

const failed = names.filter((name) => !runExample(name));
console.log(`examples: ${names.length - failed.length} ran, ${failed.length} failed`);
process.exitCode = names.length > 0 && failed.length === 0 ? 0 : 1;

function runExample(name) {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-example-'));
  try {
    writeFileSync(path.join(home, 'hitl'), `#!/bin/sh\nexec node '${root}/dist/bin/hitl.js' "$@"\n`);
    chmodSync(path.join(home, 'hitl'), 0o755);
    const [command, ...args] = runners[path.extname(name)];
    const result = spawnSync(command, [...args, path.join(folder, name)], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, HITL_HOME: home, PATH: `${home}${path.delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    return report(name, result);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function report(name, { status, signal, stdout, stderr }) {
  const expectedFile = path.join(folder, `${name}.out`);
  const asExpected = !existsSync(expectedFile) || readFileSync(expectedFile, 'utf8') === stdout;
  if (status === 0 && asExpected) return true;
  console.error(`${name}: status ${status ?? signal}${asExpected ? '' : `, output is not ${name}.out`}`);
  console.error(stdout, stderr);
  return false;
}
