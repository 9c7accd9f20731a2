import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod/mini';

import { errnoOf, HitlError, parseStrictJson } from '../../../src/core/index.js';

// Invariants:
// B1 A line is written once for each time that money moved: the same key twice means that it moved twice.
// B2 Nothing between looking at the balance and moving money lets another transfer of this process in between.

const transfer = () =>
  z.object({
    /** The idempotency key of the call that moved the money. */
    key: z.string(),
    toAccount: z.string(),
    amount: z.number(),
    /** ISO 8601. */
    at: z.string(),
  });

/** Money that was moved. */
export type Transfer = z.infer<ReturnType<typeof transfer>>;

/** The bank's memory: transfers in the order in which they happened. */
export interface Ledger {
  transfers(): Promise<readonly Transfer[]>;
  append(transfer: Transfer): Promise<void>;
  /** Runs one piece of work at a time (B2). */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
}

/** A ledger as a file of JSON lines, which outlives the process; without a file, one in memory. */
export function openLedger(file?: string): Ledger {
  const memory: Transfer[] = [];
  let last: Promise<unknown> = Promise.resolve();
  return {
    transfers: async () => (file === undefined ? [...memory] : readLedger(file)),
    async append(transfer) {
      if (file === undefined) {
        memory.push(transfer);
        return;
      }
      await mkdir(path.dirname(file), { recursive: true });
      await appendFile(file, `${JSON.stringify(transfer)}\n`, { mode: 0o600, flush: true });
    },
    exclusively(work) {
      const mine = last.then(work, work);
      last = mine;
      return mine;
    },
  };
}

/**
 * Reads the transfers of a ledger file; empty if there is no file.
 * @throws HitlError TOOL_FAILED at an invalid line.
 */
export async function readLedger(file: string): Promise<readonly Transfer[]> {
  const lines = (await readIfThere(file)).split('\n').filter((line) => line !== '');
  if (lines.length === 0) return [];
  const shape = transfer();
  return lines.map((line, index) => {
    const json = parseStrictJson(line);
    const parsed = shape.safeParse(json.ok ? json.value : undefined);
    if (parsed.success) return parsed.data;
    throw new HitlError('TOOL_FAILED', `${file}:${index + 1} is not a transfer`, {
      hint: 'fix or delete the file',
    });
  });
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
