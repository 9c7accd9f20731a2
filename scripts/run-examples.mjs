// Runs every file at the top of `examples` and in `examples/programs`: programs with tsx or node, shell scripts with
// `hitl` on the path; of each folder below its `main.ts`, or its `run.sh` with its workflow. Workflows that are there in
// TypeScript and as data are run, and compared, by test/e2e/examples.sweep.test.ts. Before that all of them are
// type-checked against the built package, its types included.
// Each must end with status 0; where `<name>.out` stands beside it, print that.
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
const entries = readdirSync(folder, { withFileTypes: true });
const programs = readdirSync(path.join(folder, 'programs')).map((name) => `programs/${name}`);
const mains = entries
  .filter(({ name }) => existsSync(path.join(folder, name, 'main.ts')))
  .map(({ name }) => `${name}/main.ts`);
const files = [
  ...entries.filter((entry) => entry.isFile()).map(({ name }) => name),
  ...programs,
  ...mains,
].filter((name) => path.extname(name) in runners);
const has = ({ name }, file) => existsSync(path.join(folder, name, file));
const folders = entries.filter((entry) => has(entry, 'run.sh') && !has(entry, 'flow.yaml'));
const examples = [...files.map((name) => [name]), ...folders.flatMap(({ name }) => flowsOf(name))];

const tsc = ['scripts/tools.mjs', '../typescript-7/bin/tsc', '-p', folder];
const types = spawnSync(process.execPath, tsc, { cwd: root, encoding: 'utf8' });
if (types.status !== 0) console.error(types.stdout, types.stderr);
const failed = examples.filter(([name, ...args]) => !runExample(name, args));
console.log(`examples: ${examples.length - failed.length} ran, ${failed.length} failed`);
process.exitCode = examples.length > 0 && failed.length === 0 && types.status === 0 ? 0 : 1;

/** The script of a folder, once for each of its workflows. */
function flowsOf(name) {
  const flows = readdirSync(path.join(folder, name)).filter((file) => file.startsWith('flow.'));
  return flows.map((flow) => [`${name}/run.sh`, flow]);
}

function runExample(name, given) {
  const home = mkdtempSync(path.join(tmpdir(), 'hitl-example-'));
  try {
    writeFileSync(path.join(home, 'hitl'), `#!/bin/sh\nexec node '${root}/dist/bin/hitl.js' "$@"\n`);
    chmodSync(path.join(home, 'hitl'), 0o755);
    const [command, ...args] = runners[path.extname(name)];
    const result = spawnSync(command, [...args, path.join(folder, name), ...given], {
      cwd: name.endsWith('run.sh') ? home : root, // what a workflow writes is gone afterwards
      encoding: 'utf8',
      env: { ...process.env, HITL_HOME: home, PATH: `${home}${path.delimiter}${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: timeoutMs,
    });
    return report(name, [name, ...given].join(' '), result);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function report(name, label, { status, signal, stdout, stderr }) {
  const expectedFile = path.join(folder, `${name}.out`);
  const asExpected = !existsSync(expectedFile) || readFileSync(expectedFile, 'utf8') === stdout;
  if (status === 0 && asExpected) return true;
  console.error(`${label}: status ${status ?? signal}${asExpected ? '' : `, output is not ${name}.out`}`);
  console.error(stdout, stderr);
  return false;
}
