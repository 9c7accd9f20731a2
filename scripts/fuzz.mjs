// Runs the fuzz targets for as long as is asked: node scripts/fuzz.mjs [--seconds <n>] [--only <target>] [--seed <n>]
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run fuzz -- [--seconds <n>] [--only <target>] [--seed <n>]
  --seconds <n>    time for each target, 60 by default
  --only <target>  one target: the name of its file, or a part of it
  --seed <n>       the same inputs again
`;
const LOOK_EVERY_MS = 500;
const root = path.resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    only: { type: 'string', default: '' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

const targets = readdirSync(path.join(root, 'test/fuzz'))
  .filter((name) => /^[^.]+\.test\.ts$/.test(name) && name.includes(values.only))
  .map((name) => `test/fuzz/${name}`);
if (targets.length === 0 || !(Number(values.seconds) > 0) || !Number.isInteger(Number(values.seed))) {
  process.stderr.write(USAGE);
  process.exit(2);
}

const folder = mkdtempSync(path.join(tmpdir(), 'hitl-fuzz-report-'));
const report = path.join(folder, 'report.txt');
writeFileSync(report, '');
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

console.log(`${targets.length} targets, ${values.seconds} s each, seed ${values.seed}`);
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const child = spawn(process.execPath, [vitest, 'run', '--silent', '--reporter=dot', ...targets], {
  cwd: root,
  env: {
    ...process.env,
    FUZZ_SECONDS: values.seconds,
    FUZZ_SEED: values.seed,
    FUZZ_REPORT: report,
  },
  stdio: ['ignore', 'ignore', 'pipe'],
});
const errors = [];
child.stderr.on('data', (chunk) => errors.push(chunk));
process.on('SIGINT', () => child.kill('SIGINT'));

let told = 0;
const looking = setInterval(tell, LOOK_EVERY_MS);
child.on('close', (status) => {
  clearInterval(looking);
  tell();
  const lines = readFileSync(report, 'utf8').split('\n');
  const properties = lines.filter((line) => line.startsWith('fuzz '));
  const findings = properties.filter((line) => !line.endsWith(' 0 findings')).length;
  const tries = properties.reduce((sum, line) => sum + Number(/: (\d+) tries/u.exec(line)?.[1] ?? 0), 0);
  console.log(`${properties.length} properties, ${tries} tries, seed ${values.seed}, ${findings} findings`);
  if (status !== 0 && findings === 0) process.stderr.write(Buffer.concat(errors));
  process.exitCode = status ?? 1;
});

function tell() {
  const text = readFileSync(report, 'utf8');
  process.stdout.write(text.slice(told));
  told = text.length;
}
