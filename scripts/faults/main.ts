// The proofs of the promises: tsx scripts/faults/main.ts --kills 1000 --seed 1
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import type { KillReport } from './kills.js';
import { killSessions } from './kills.js';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});

function describe({
  kills,
  posterKills,
  sessions,
  effects,
  doubts,
  answers,
  violations,
}: KillReport): string {
  return (
    `${kills} kills (${posterKills} of processes that posted an answer), ${sessions} sessions, ` +
    `${answers} confirmed answers, ${effects} effects, ${doubts} told doubts, ${violations.length} violations`
  );
}

const seed = Number(values.seed);
process.stdout.write(`seed ${seed}\n`);
const started = performance.now();
const report = await killSessions({
  kills: Number(values.kills),
  seed,
  dist,
  progress: (soFar) => {
    if (soFar.sessions % 20 === 0) process.stdout.write(`  ${describe(soFar)}\n`);
  },
});
for (const violation of report.violations) process.stdout.write(`VIOLATION ${violation}\n`);
process.stdout.write(`${describe(report)}, ${Math.round((performance.now() - started) / 1000)} s\n`);
process.exitCode = report.violations.length === 0 ? 0 : 1;
