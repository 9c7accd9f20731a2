// Runs rows a few at a time, each in a world of its own, and gives the results in the order of the table.
import type { Attack } from './attack.js';
import type { ProgramCopy } from './program-copy.js';
import type { Result, Verdict } from './verdict.js';
import { broken, verdictOfError } from './verdict.js';
import { World } from './world.js';

const LIMIT_MS = 60_000;

/** How many at a time, and who hears of each result, in the order of the table. */
export interface RunRowsOptions {
  readonly program: ProgramCopy;
  readonly atOnce: number;
  readonly onResult: (result: Result) => void;
}

async function within(limitMs: number, work: Promise<Verdict>): Promise<Verdict> {
  let limit: NodeJS.Timeout | undefined;
  const tooLong = new Promise<Verdict>((resolve) => {
    limit = setTimeout(() => {
      resolve(broken(`not over after ${String(limitMs / 1000)} s`));
    }, limitMs);
  });
  return Promise.race([work, tooLong]).finally(() => {
    clearTimeout(limit);
  });
}

async function runRow(
  { id, tried, limitMs = LIMIT_MS, ...attack }: Attack,
  program: ProgramCopy,
): Promise<Result> {
  const startedAt = performance.now();
  await using world = new World(program);
  const work = attack.run(world).catch(verdictOfError);
  const verdict = await within(limitMs, work);
  return { id, tried, verdict, ms: Math.round(performance.now() - startedAt) };
}

/** Runs all rows. */
export async function runRows(rows: readonly Attack[], options: RunRowsOptions): Promise<readonly Result[]> {
  const { program, atOnce, onResult } = options;
  const results: (Result | undefined)[] = rows.map(() => undefined);
  let next = 0;
  let told = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < rows.length; index = next++) {
      const row = rows[index];
      if (row === undefined) return;
      results[index] = await runRow(row, program);
      for (let result = results[told]; result !== undefined; result = results[told]) {
        onResult(result);
        told += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results.filter((result) => result !== undefined);
}
