// Removes one safety mechanism at a time from a copy of the project, and expects its tests to notice:
// node scripts/mutants/run.mjs [--head] [--only <text>[,<text>]]
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';

import { mutants } from './list.mjs';

const PATIENCE_MS = 120_000;
const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: { head: { type: 'boolean', default: false }, only: { type: 'string', default: '' } },
});

const copy = mkdtempSync(path.join(tmpdir(), 'hitl-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
copyProject();

const chosen = mutants.filter(({ name }) => values.only.split(',').some((text) => name.includes(text)));
const files = [...new Set(chosen.flatMap(({ tests }) => tests))];
const healthy = runTests(files);
if (healthy.failed !== undefined || healthy.passed === 0) {
  console.error(`without a mutant: ${healthy.failed ?? 'no test ran'}`);
  process.exit(2);
}

const survivors = [];
for (const mutant of chosen) {
  const started = performance.now();
  const killer = mutate(mutant);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (killer === undefined) survivors.push(mutant.name);
  console.log(`${mutant.name} / ${killer ?? 'SURVIVED'} / ${seconds} s`);
}
for (const name of survivors) console.log(`SURVIVED ${name}`);
console.log(`${chosen.length - survivors.length} killed, ${survivors.length} survived`);
process.exitCode = chosen.length > 0 && survivors.length === 0 ? 0 : 1;

/** What is tracked, as it is in the working folder or, with --head, in the last commit. */
function copyProject() {
  if (values.head) {
    const archive = execFileSync('git', ['archive', 'HEAD'], { cwd: root, maxBuffer: 1 << 30 });
    execFileSync('tar', ['-x', '-C', copy], { input: archive });
  } else {
    const names = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: root,
      encoding: 'utf8',
    });
    for (const name of names.trim().split('\n')) {
      mkdirSync(path.dirname(path.join(copy, name)), { recursive: true });
      cpSync(path.join(root, name), path.join(copy, name), { force: true });
    }
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
}

/** The test that noticed; `undefined` where none did. */
function mutate({ file, edits, tests }) {
  const target = path.join(copy, file);
  const original = readFileSync(target, 'utf8');
  let text = original;
  for (const [search, replacement] of edits) {
    if (text.split(search).length !== 2) return stale(file, search);
    text = text.replace(search, () => replacement);
  }
  writeFileSync(target, text);
  try {
    return runTests(tests).failed;
  } finally {
    writeFileSync(target, original);
  }
}

function stale(file, search) {
  console.error(`${file} does not hold, or not once: ${search}`);
  process.exit(2);
}

function runTests(tests) {
  const report = path.join(copy, 'mutants-report.json');
  rmSync(report, { force: true });
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--bail=1', '--reporter=json', `--outputFile=${report}`, ...tests],
    { cwd: copy, stdio: 'ignore', timeout: PATIENCE_MS },
  );
  if (status === null || !existsSync(report))
    return { passed: 0, failed: `no report, status ${status ?? 'hung'}` };
  const { numPassedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const results = testResults.flatMap(({ assertionResults, name, status: fileStatus }) => [
    ...assertionResults.filter((result) => result.status === 'failed').map((result) => result.fullName),
    ...(fileStatus === 'failed' ? [path.relative(copy, name)] : []),
  ]);
  return { passed: numPassedTests, failed: status === 0 ? undefined : (results[0] ?? `status ${status}`) };
}
