import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { bench } from './places.mjs';

const runner = path.join(bench, 'harness', 'measure-one.mjs');

/** Where some systems have files in memory. */
const IN_MEMORY = '/dev/shm';

/**
 * Measures once, in a process of its own, which is given folders of its own for its files, on the disk and in memory.
 * @param measure `{ module, params }`: a file of `contenders/`, and what its `measure` is given
 * @param boxMs when it is stopped
 * @returns its numbers, with `peakMb`; those it told last and `over`, in seconds, where it was stopped; or `{ failed }`
 * with the reason
 */
export async function runFresh({ module, params = {} }, boxMs) {
  const folder = newFolder(process.env.BENCH_TMP ?? tmpdir());
  const memory = newFolder(existsSync(IN_MEMORY) ? IN_MEMORY : folder);
  const env = { BENCH_TMP: folder, BENCH_MEMORY: memory };
  try {
    return await measured([module, JSON.stringify(params)], env, boxMs);
  } finally {
    // What was killed a moment ago may still be writing there.
    for (const used of [memory, folder]) rmSync(used, { recursive: true, force: true, maxRetries: 10 });
  }
}

function newFolder(parent) {
  return mkdtempSync(path.join(parent, 'hitl-bench-'));
}

function measured(words, env, boxMs) {
  const child = spawn(process.execPath, ['--expose-gc', runner, ...words], {
    cwd: bench,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...env,
      NODE_NO_WARNINGS: '1',
      LANGSMITH_TRACING: 'false',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    },
    timeout: boxMs,
    killSignal: 'SIGKILL',
  });
  const output = { told: '', errors: '' };
  child.stdio[3].on('data', (piece) => (output.told += piece));
  child.stderr.on('data', (piece) => (output.errors += piece));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      const numbers = lastTold(output.told);
      if (code === 0 && numbers !== undefined) resolve(numbers);
      else if (signal === 'SIGKILL') resolve({ ...numbers, over: boxMs / 1000 });
      else resolve({ failed: signal ?? reasonIn(output.errors) ?? `status ${code}` });
    });
  });
}

/** The last whole line that the process told. */
function lastTold(text) {
  const line = text.split('\n').at(-2);
  return line === undefined ? undefined : JSON.parse(line);
}

function reasonIn(errors) {
  const lines = errors.trim().split('\n');
  return lines.find((line) => /Error/.test(line)) ?? lines.at(-1);
}
