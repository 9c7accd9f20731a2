// The built program on a disk whose operations fail: some of them, or with STEP every so manieth, in all ways:
// `STEP=1 npm run test:sweep -- test/faults/errors`.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

import { expect, test } from 'vitest';

import { audit, judgeEnd } from './audit.js';
import { KillWorld, ProgramCopy } from './kill-world.js';
import type { Ledger } from './life.js';
import { live, nextArgs } from './life.js';

const { STEP } = process.env;
const LONG_MS = 24 * 3_600_000;
const dist = fileURLToPath(new URL('../../dist', import.meta.url));

/** How an operation on the disk fails. */
interface DiskFault {
  readonly errno: string;
  /** Everything after it fails too, until the process ends. */
  readonly isSticky: boolean;
  /** A write takes half of its bytes first. */
  readonly isShort: boolean;
}

interface ErrorOptions {
  readonly fault: DiskFault;
  /** The first operation that fails. */
  readonly first: number;
  /** 1 tries every operation, 3 every third one. */
  readonly step: number;
  /** The folder of the built program. */
  readonly dist: string;
}

interface ErrorReport {
  /** Failed operations. */
  places: number;
  /** Processes that ended with status 6. */
  loud: number;
  /** Processes that ended well in spite of the fault: it struck what is not needed. */
  unharmed: number;
  readonly violations: string[];
}

/** What a process may end with whose disk failed: it did not matter, it could not save, or it could not read. */
function isTold({
  status,
  stderr,
}: {
  readonly status: number | 'killed';
  readonly stderr: string;
}): boolean {
  if (status === 6) return stderr.includes('could not save');
  return status === 0 || (status === 5 && stderr.includes('could not read'));
}

/** Lets every n-th operation of a session of the built program fail, cuts the power, goes on, and judges. */
async function failOperations({ fault, first, step, dist }: ErrorOptions): Promise<ErrorReport> {
  using program = new ProgramCopy(dist);
  const report: ErrorReport = { places: 0, loud: 0, unharmed: 0, violations: [] };
  for (let n = first; await failAt(program.path, { ...fault, n }, report); n += step);
  return report;
}

type FaultAt = DiskFault & { readonly n: number };

/** @returns false where the session has no n-th operation. */
async function failAt(program: string, fault: FaultAt, report: ErrorReport): Promise<boolean> {
  using world = new KillWorld(program);
  const struckFile = path.join(world.home, 'struck');
  const ledger: Ledger = { printed: new Map(), posted: new Set() };
  const env = {
    NODE_OPTIONS: `--import=${pathToFileURL(path.join(import.meta.dirname, 'failing-disk.mjs')).href}`,
    FAULT: JSON.stringify(fault),
    FAULT_REPORT: struckFile,
  };
  const failed = await live(world, { args: await nextArgs(world), ledger, env });
  if (!existsSync(struckFile)) return false;
  const struck = readFileSync(struckFile, 'utf8');
  rmSync(struckFile);
  report.places += 1;
  if (failed.status === 0) report.unharmed += 1;
  if (failed.status === 6) report.loud += 1;
  const problems = [...(await audit(world, ledger, 'died'))];
  if (!isTold(failed)) problems.push(`status ${failed.status}: ${failed.stderr}`);
  const healed = await live(world, { args: await nextArgs(world), ledger });
  if (healed.status === 0) problems.push(...(await judgeEnd(world, ledger)));
  else problems.push(`resuming ended with status ${healed.status}: ${healed.stderr}`);
  const what = `${fault.errno}${fault.isSticky ? ' from on' : ''}${fault.isShort ? ' short' : ''}`;
  for (const problem of problems) report.violations.push(`${what} ${fault.n} (${struck}): ${problem}`);
  return true;
}

const SOME = [
  { first: 3, errno: 'ENOSPC', isSticky: false, isShort: false },
  { first: 7, errno: 'EIO', isSticky: true, isShort: false },
  { first: 11, errno: 'EFBIG', isSticky: false, isShort: true },
];
const ALL = [
  ...['ENOSPC', 'EIO', 'EDQUOT', 'EROFS', 'EMFILE'].flatMap((errno) =>
    [false, true].map((isSticky) => ({ first: 1, errno, isSticky, isShort: false })),
  ),
  { first: 1, errno: 'ENOSPC', isSticky: false, isShort: true },
];

test.skipIf(process.platform === 'win32').for(STEP === undefined ? SOME : ALL)(
  'operations of the built program that fail are told, and nothing confirmed is lost: %j (F10 to F13: G1, G6, G7, G9, G10)',
  { ...(STEP !== undefined && { timeout: LONG_MS }) },
  async ({ first, ...fault }) => {
    const step = Number(STEP ?? 48);
    const { violations, ...report } = await failOperations({ fault, first, step, dist });
    process.stdout.write(`errors: ${JSON.stringify(report)}\n`);
    expect(violations).toEqual([]);
    expect(report.loud).toBeGreaterThan(1);
  },
);
