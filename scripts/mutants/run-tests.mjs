import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

/** The groups of processes that run now; they end with this process. */
const running = new Set();
process.on('exit', () => running.forEach(end));

/**
 * Runs files of tests by one worker, up to the first that fails.
 * `passed` counts tests; `failed` is the first title, or what went wrong besides; `milliseconds` are by file.
 */
export async function runTests(copy, files, patienceMs) {
  const report = path.join(copy, 'mutants-report.json');
  rmSync(report, { force: true });
  const status = await vitest(copy, [`--outputFile=${report}`, ...files], patienceMs);
  if (status === 'hung') return failure('hung', `no end after ${Math.round(patienceMs / 1000)} s`);
  if (!existsSync(report)) return failure('unread', `no report, status ${status}`);
  return readReport(copy, JSON.parse(readFileSync(report, 'utf8')), status);
}

function failure(kind, failed) {
  return { kind, failed, passed: 0, milliseconds: new Map() };
}

/** A test that failed is a claim that was broken; a file that failed without one was not even read. */
function readReport(copy, { numPassedTests: passed, testResults }, status) {
  const title = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .find((result) => result.status === 'failed')?.fullName;
  const unread = testResults.find((file) => file.status === 'failed');
  const milliseconds = new Map(
    testResults.map(({ name, startTime, endTime }) => [path.relative(copy, name), endTime - startTime]),
  );
  if (status === 0) return { kind: 'passed', passed, milliseconds };
  if (title !== undefined) return { kind: 'failed', failed: title, passed, milliseconds };
  if (unread === undefined)
    return { kind: 'failed', failed: `an error outside of tests`, passed, milliseconds };
  return { kind: 'unread', failed: unread.message.split('\n')[0], passed, milliseconds };
}

/** The status, or `hung`: then all of its processes are ended, also one that turns in a circle. */
function vitest(copy, args, patienceMs) {
  const program = path.join(copy, 'node_modules/vitest/vitest.mjs');
  const child = spawn(
    process.execPath,
    [program, 'run', '--bail=1', '--maxWorkers=1', '--reporter=json', ...args],
    { cwd: copy, stdio: 'ignore', detached: true },
  );
  running.add(child);
  return new Promise((resolve, reject) => {
    const patience = setTimeout(() => {
      end(child);
      resolve('hung');
    }, patienceMs);
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      clearTimeout(patience);
      end(child);
      running.delete(child);
      resolve(code ?? signal);
    });
  });
}

function end({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
