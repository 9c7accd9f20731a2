import { appendFileSync } from 'node:fs';

import fc from 'fast-check';
import { describe, test } from 'vitest';

/** One property of a target: any inputs, and what has to hold for them. */
type Property = fc.IRawProperty<unknown>;

export interface FuzzCase {
  /** Tries without `FUZZ_SECONDS`. Default 120. */
  readonly runs?: number;
  /** Tries with `FUZZ_SECONDS`, however long they take. Default: as many as there is time for. */
  readonly longRuns?: number;
  /** Makes the property, and whatever it needs once, inside its test. */
  readonly property: () => Property | Promise<Property>;
}

const HOUR_MS = 3_600_000;
const DEFAULT_RUNS = 120;

/** Seconds for a whole target; undefined: a fixed number of tries, whatever the machine. */
const seconds = numberFrom('FUZZ_SECONDS');
const seed = numberFrom('FUZZ_SEED') ?? 1;

function numberFrom(name: string): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${name} must be a number, got ${text}`);
  return value;
}

/** Prints what was tried; a long run reads it from the file that `FUZZ_REPORT` names. */
function tell(line: string): void {
  process.stdout.write(`${line}\n`);
  const file = process.env['FUZZ_REPORT'];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}

/**
 * A target: its properties are tests, tried with made-up inputs, seeded by `FUZZ_SEED`. `FUZZ_SECONDS` is shared among
 * them; the number of tries is printed with the seed and the findings.
 */
export function fuzzTarget(target: string, cases: Readonly<Record<string, FuzzCase>>): void {
  const entries = Object.entries(cases);
  describe(`fuzz: ${target}`, () => {
    for (const [name, one] of entries) {
      test(name, { timeout: HOUR_MS * 10 }, () => tryOut(`${target}: ${name}`, one, entries.length));
    }
  });
}

async function tryOut(name: string, { runs = DEFAULT_RUNS, longRuns, property }: FuzzCase, shares: number) {
  const details = await fc.check(await property(), {
    seed,
    ...(seconds === undefined
      ? { numRuns: runs }
      : longRuns === undefined
        ? {
            numRuns: Number.MAX_SAFE_INTEGER,
            plugins: [fc.interruptAfterTimeLimit((seconds * 1000) / shares)],
          }
        : { numRuns: longRuns }),
  });
  const findings = details.failed ? 1 : 0;
  tell(`fuzz ${name}: ${details.numRuns} tries, seed ${seed}, ${findings} findings`);
  if (!details.failed) return;
  const report = await fc.asyncDefaultReportMessage(details);
  tell(`${report}\n${String(details.errorInstance)}`);
  throw new Error(report, { cause: details.errorInstance });
}
