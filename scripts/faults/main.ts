// The proofs of the promises: tsx scripts/faults/main.ts --kills 1000 --seed 1, --errors, or --bytes.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { spoilJournal } from './bytes.js';
import type { DiskFault, ErrorReport } from './errors.js';
import { failOperations } from './errors.js';
import type { KillReport } from './kills.js';
import { killSessions } from './kills.js';
import type { SandboxMode } from './kill-world.js';
import { databasePlace } from './place.js';

const USAGE = `usage: npm run faults -- [--kills <n> [--seed <n>] [--sandbox <mode>]] [--errors] [--bytes] [--step <n>]
  --kills <n>   kill -9 at n random moments
  --sandbox <auto|off|required>   of the command in each session; default: auto
  --store <postgres>  in a server of PostgreSQL, which is killed as well; default: folders
  --seed <n>    the same moments again, as far as the machine is as fast
  --errors      every n-th operation on the disk fails, in all ways
  --bytes       every byte of a journal is cut off and flipped, lines are removed, doubled and swapped
  --step <n>    only every n-th operation or byte
`;
/** Kills where a database is named and nothing else. */
const MOST_KILLS = '100';
const ERRNOS = ['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EMFILE'];

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const { values } = parseArgs({
  options: {
    kills: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    sandbox: { type: 'string', default: 'auto' },
    store: { type: 'string', default: 'folder' },
    errors: { type: 'boolean', default: false },
    bytes: { type: 'boolean', default: false },
    step: { type: 'string', default: '1' },
  },
});

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function describeKills(report: KillReport): string {
  const { kills, posterKills, crashes, sessions, effects, doubts, answers, violations } = report;
  const servers = crashes === 0 ? '' : `${crashes} of the server, `;
  return (
    `kills: ${kills} (${posterKills} of processes that posted an answer), ${servers}${sessions} sessions, ` +
    `${answers} confirmed answers, ${effects} effects, ${doubts} told doubts, ${violations.length} violations`
  );
}

function describeErrors({ places, loud, unharmed, violations }: ErrorReport): string {
  return `errors: ${places} failed operations, ${loud} said so with status 6, ${unharmed} did no harm, ${violations.length} violations`;
}

/** Prints what was found; true where nothing was broken. */
function conclude(summary: string, violations: readonly string[]): boolean {
  for (const violation of violations) print(`VIOLATION ${violation}`);
  print(`${summary}, ${Math.round(performance.now() / 1000)} s`);
  return violations.length === 0;
}

function isSandbox(mode: string): mode is SandboxMode {
  return ['auto', 'off', 'required'].includes(mode);
}

async function kill(kills: number, seed: number, sandbox: SandboxMode): Promise<boolean> {
  print(`seed ${seed}, sandbox ${sandbox}`);
  let told = 0;
  const progress = (report: KillReport) => {
    for (const violation of report.violations.slice(told)) print(`  ${violation}`);
    told = report.violations.length;
    if (report.sessions % 20 === 0) print(`  ${describeKills(report)}`);
  };
  const database = values.store === 'postgres' ? await databasePlace() : undefined;
  const report = await killSessions({ kills, seed, dist, sandbox, place: database, progress });
  await database?.[Symbol.asyncDispose]();
  return conclude(describeKills(report), report.violations);
}

async function fail(step: number): Promise<boolean> {
  const faults = ERRNOS.flatMap((errno): DiskFault[] => [
    { errno, isSticky: false, isShort: false },
    { errno, isSticky: true, isShort: false },
  ]);
  const progress = (report: ErrorReport) => {
    if (report.places % 50 === 0) print(`  ${describeErrors(report)}`);
  };
  const short = { errno: 'ENOSPC', isSticky: false, isShort: true };
  const report = await failOperations({ faults: [...faults, short], step, dist, progress });
  return conclude(describeErrors(report), report.violations);
}

async function spoil(step: number, seed: number): Promise<boolean> {
  const { tried, violations } = await spoilJournal({ seed, dist, step });
  return conclude(`bytes: ${tried} spoiled journals, ${violations.length} violations`, violations);
}

const results: boolean[] = [];
const isDatabase = values.store === 'postgres' && values.kills === undefined;
if (isDatabase) values.kills = MOST_KILLS;
if (values.kills !== undefined && isSandbox(values.sandbox))
  results.push(await kill(Number(values.kills), Number(values.seed), values.sandbox));
if (values.bytes) results.push(await spoil(Number(values.step), Number(values.seed)));
if (values.errors) results.push(await fail(Number(values.step)));
if (results.length === 0) process.stderr.write(USAGE);
process.exitCode = results.length === 0 ? 2 : Number(results.includes(false));
