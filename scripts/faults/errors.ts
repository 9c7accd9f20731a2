import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { audit } from './audit.js';
import { judgeEnd, nextArgs } from './judge-end.js';
import { KillWorld, ProgramCopy } from './kill-world.js';
import type { Ledger } from './life.js';
import { live } from './life.js';

/** How an operation on the disk fails. */
export interface DiskFault {
  readonly errno: string;
  /** Everything after it fails too, until the process ends. */
  readonly isSticky: boolean;
  /** A write takes half of its bytes first. */
  readonly isShort: boolean;
}

export interface ErrorOptions {
  readonly faults: readonly DiskFault[];
  /** The first operation that fails. Default 1. */
  readonly first?: number;
  /** 1 tries every operation, 3 every third one. */
  readonly step: number;
  /** The folder of the built program. */
  readonly dist: string;
  readonly progress?: (report: ErrorReport) => void;
}

export interface ErrorReport {
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
export async function failOperations({
  faults,
  first = 1,
  step,
  dist,
  progress,
}: ErrorOptions): Promise<ErrorReport> {
  using program = new ProgramCopy(dist);
  const report: ErrorReport = { places: 0, loud: 0, unharmed: 0, violations: [] };
  for (const fault of faults) {
    for (let n = first; await failAt(program.path, { ...fault, n }, report); n += step) progress?.(report);
  }
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
