import { spawn } from 'node:child_process';
import path from 'node:path';

import { bench } from './places.mjs';

const runner = path.join(bench, 'harness', 'measure-one.mjs');

/** How long one measure may take, in milliseconds. */
const LONGEST_MS = 300_000;

/**
 * Measures one contender in a process of its own.
 * @param contender `{ module, params, flags? }`: a file of `contenders/`, and what its `measure` is given.
 * @returns its numbers, with `peakMb`, or `{ failed }` with the reason.
 */
export function runFresh({ module, params = {}, flags = [] }) {
  const args = ['--expose-gc', ...flags, runner, module, JSON.stringify(params)];
  const child = spawn(process.execPath, args, {
    cwd: bench,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      NODE_NO_WARNINGS: '1',
      LANGSMITH_TRACING: 'false',
      OPENAI_AGENTS_DISABLE_TRACING: '1',
    },
    timeout: LONGEST_MS,
  });
  const output = { answer: '', errors: '' };
  child.stdio[3].on('data', (piece) => (output.answer += piece));
  child.stderr.on('data', (piece) => (output.errors += piece));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      if (code === 0 && output.answer !== '') resolve(JSON.parse(output.answer));
      else resolve({ failed: signal ?? reasonIn(output.errors) ?? `status ${code}` });
    });
  });
}

function reasonIn(errors) {
  const lines = errors.trim().split('\n');
  return lines.find((line) => /Error/.test(line)) ?? lines.at(-1);
}
