// What is counted for the short check. Every count is taken in a process of its own (`count-one.mjs`).
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { bench, program } from './places.mjs';

const counter = path.join(bench, 'harness', 'count-one.mjs');
const flushCounter = path.join(bench, 'harness', 'count-flushes.cjs');

/**
 * So much room for new objects that none is collected while allocation is measured; and nothing is compiled beside it,
 * which ends later on a busy machine and leaves more to allocate.
 */
const NO_COLLECTION = [
  ...['--max-semi-space-size=1024', '--min-semi-space-size=1024', '--expose-gc'],
  '--no-concurrent-recompilation',
];

function count(what, size) {
  const args = [...NO_COLLECTION, counter, what, String(size)];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

export const counts = {
  /** Of one cycle of question and answer: bytes and operations on the disk, and bytes of memory. */
  cycles: (size) => count('cycles', size),
  /** Bytes of memory of one turn. */
  turns: (size) => count('turns', size).allocated,
  /** Bytes of memory of one event. */
  fold: (size) => count('fold', size).allocated,
  /** Operations on the disk for each session. */
  list: (size) => count('list', size).operations,
  /** Bytes read for each byte of journal. */
  open: (size) => count('open', size).read,

  /**
   * The files that the program loads, without those of Node: the address and the size of each.
   * @param given `config` is the person's own, `input` goes to stdin
   */
  load(words, before = [], expected = 0, { config, input = '' } = {}) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hitl-bench-'));
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      HITL_HOME: folder,
      NODE_V8_COVERAGE: path.join(folder, 'v8'),
      NODE_DISABLE_COMPILE_CACHE: '1', // of code that was kept nothing is told
    };
    if (config !== undefined) writeFileSync(path.join(folder, 'config.json'), JSON.stringify(config));
    for (const earlier of before) {
      spawnSync(process.execPath, [program, ...earlier], { env: { ...env, NODE_V8_COVERAGE: '' } });
    }
    const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
      env,
      input,
      encoding: 'utf8',
    });
    if (status !== expected) throw new Error(stderr);
    const files = readdirSync(path.join(folder, 'v8')).flatMap((file) => {
      const { result } = JSON.parse(readFileSync(path.join(folder, 'v8', file), 'utf8'));
      return result.filter(({ url }) => url.startsWith('file:'));
    });
    rmSync(folder, { recursive: true });
    return files.map(({ url }) => ({ url, bytes: statSync(fileURLToPath(url)).size }));
  },

  /** How often each of some commands, one after the other in a new home, flushes files, and waits for flushes. */
  flushes(steps) {
    const folder = mkdtempSync(path.join(tmpdir(), 'hitl-bench-'));
    const file = path.join(folder, 'flushes.json');
    const env = { PATH: process.env.PATH, HOME: folder, HITL_HOME: folder, BENCH_FLUSHES: file };
    let said = '';
    const counted = steps.map(({ words, status = 0 }) => {
      const [, id = ''] = /hitl resume (\w+)/.exec(said) ?? [];
      const args = ['--require', flushCounter, program, ...words.map((word) => (word === 'ID' ? id : word))];
      const run = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
      if (run.status !== status) throw new Error(run.stderr);
      said += run.stderr;
      return JSON.parse(readFileSync(file, 'utf8'));
    });
    rmSync(folder, { recursive: true });
    return counted;
  },
};
