// Takes away one guarantee at a time in a copy of the project, and expects its tests to notice:
// `npm run mutants [-- --only <text>]`.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import * as z from 'zod';

import type { Mutant } from './rows.js';
import { mutants, placesOf } from './rows.js';

/** The parts of vitest's report that are read here. */
const Report = z.object({
  numPassedTests: z.number(),
  testResults: z.array(
    z.object({
      status: z.string(),
      message: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** A mutant that loops ends after this time, and counts as noticed. */
const PATIENCE_MS = 900_000;

const root = path.resolve(import.meta.dirname, '../..');
const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const chosen = mutants.filter(({ name, guarantee }) => `${guarantee} ${name}`.includes(values.only));

setPriority(constants.priority.PRIORITY_LOW);
for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const])
  process.on(signal, () => process.exit(status));
const copy = mkdtempSync(path.join(tmpdir(), 'hitl-mutants-'));
let running: number | undefined;
process.on('exit', () => {
  end(running);
  rmSync(copy, { recursive: true, force: true });
});
copyProject();

// Tests that fail without a mutant can show nothing.
const healthy = await runTests([...new Set(chosen.flatMap(({ tests }) => tests))]);
if (healthy !== 'passed') throw new Error(`without a mutant: ${healthy}`);
let unnoticed = 0;
for (const mutant of chosen) {
  const verdict = await judge(mutant);
  if (!verdict.startsWith('noticed')) unnoticed += 1;
  process.stdout.write(`${mutant.guarantee} ${mutant.name}: ${verdict}\n`);
}
process.stdout.write(`${chosen.length - unnoticed} of ${chosen.length} noticed\n`);
process.exitCode = chosen.length > 0 && unnoticed === 0 ? 0 : 1;

/** Copies what is tracked or new, as it is in the working folder. */
function copyProject(): void {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const name of listed
    .trim()
    .split('\n')
    .filter((one) => existsSync(path.join(root, one))))
    cpSync(path.join(root, name), path.join(copy, name));
  for (const name of ['node_modules', 'dist'])
    if (existsSync(path.join(root, name))) symlinkSync(path.join(root, name), path.join(copy, name));
}

async function judge({ text, replacement, tests }: Mutant): Promise<string> {
  const [file, ...more] = placesOf(copy, text);
  if (file === undefined || more.length > 0) return 'NOT APPLICABLE, its text does not stand once';
  const original = readFileSync(path.join(copy, file), 'utf8');
  writeFileSync(
    path.join(copy, file),
    original.replace(text, () => replacement),
  );
  const end = await runTests(tests);
  writeFileSync(path.join(copy, file), original);
  return end === 'passed' ? `SURVIVED in ${file}` : end;
}

/** Runs tests up to the first that fails: `passed`, `noticed …`, or why the tests could not be read. */
async function runTests(tests: readonly string[]): Promise<string> {
  const report = path.join(copy, 'mutants.json');
  rmSync(report, { force: true });
  const files = tests.map((test) => `test/${test}.test.ts`);
  const status = await vitest([
    '--bail=1',
    '--maxWorkers=1',
    '--reporter=json',
    `--outputFile=${report}`,
    ...files,
  ]);
  if (status === 'hung') return 'noticed, by a test that comes to no end';
  if (!existsSync(report)) return `NOT APPLICABLE, vitest wrote no report (${status})`;
  const { testResults, numPassedTests } = Report.parse(JSON.parse(readFileSync(report, 'utf8')));
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find((one) => one.status === 'failed');
  if (failed !== undefined) return `noticed by: ${failed.fullName}`;
  const unread = testResults.find((file) => file.status === 'failed');
  if (unread !== undefined) return `NOT APPLICABLE, ${unread.message.split('\n')[0] ?? ''}`;
  if (status !== 0) return 'noticed, by an error outside of tests';
  return numPassedTests > 0 ? 'passed' : 'NOT APPLICABLE, no test ran';
}

/** The status of a run, which has a group of processes of its own: also one that loops can be ended whole. */
function vitest(args: readonly string[]): Promise<number | 'hung'> {
  const program = path.join(root, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [program, 'run', ...args], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  });
  running = child.pid;
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      resolve('hung');
      end(child.pid);
    }, PATIENCE_MS);
    child.once('error', reject);
    child.once('exit', (status) => {
      clearTimeout(patience);
      end(child.pid);
      running = undefined;
      resolve(status ?? 1);
    });
  });
}

function end(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The whole group has ended already.
  }
}
