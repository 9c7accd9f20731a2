// Counts how often another contender asks the system to flush, cycle by cycle.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { bench } from '../harness/places.mjs';

const [FEW, MANY] = [10, 30];
const CALLS = 'fsync,fdatasync,sync_file_range,msync,syncfs';

function syncsOf({ module, params }, cycles) {
  const file = path.join(process.env.BENCH_TMP ?? tmpdir(), `syncs-${cycles}`);
  const runner = path.join(bench, 'harness', 'measure-one.mjs');
  const words = [runner, module, JSON.stringify({ ...params, cycles, counted: true })];
  const traced = [
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-e',
    `trace=${CALLS}`,
    '-o',
    file,
    process.execPath,
    ...words,
  ];
  const { error, status, stderr } = spawnSync('strace', traced, {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
  });
  if (error?.code === 'ENOENT') return undefined;
  if (status !== 0) throw new Error(stderr);
  // A call that another thread interrupts is told on two lines, of which the second has no parenthesis after the name.
  return readFileSync(file, 'utf8').match(/^\d+ +\w+\(/gm)?.length ?? 0;
}

/** @param params `{ module, params }` of the other contender; without `strace` there are no numbers */
export async function measure(other) {
  const [few, many] = [syncsOf(other, FEW), syncsOf(other, MANY)];
  return few === undefined ? {} : { syncsPerCycle: (many - few) / (MANY - FEW) };
}
