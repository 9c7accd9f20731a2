import { appendFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

import * as z from 'zod/mini';

import { errnoOf, HitlError, parseStrictJson } from '../../../src/core/index.js';

// Invariants:
// B1 A line is written once for each time that money moved: the same key twice means that it moved twice.
// B2 Nothing between looking at the balance and moving money lets another transfer of this process in between.

const transfer = () =>
  z.object({
    /** Idempotency key of the call that made the transfer. */
    key: z.string(),
    toAccount: z.string(),
    amount: z.number(),
    /** ISO 8601. */
    at: z.string(),
  });

/** A completed transfer. */
export type Transfer = z.infer<ReturnType<typeof transfer>>;

/** The bank's record of all transfers, in order. */
export interface Ledger {
  transfers(): Promise<readonly Transfer[]>;
  append(transfer: Transfer): Promise<void>;
  /** Runs an operation while no other operation is running (B2). */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result>;
}

/**
 * Opens a ledger. With a file, transfers are stored as JSON lines and outlive the process; without one, they
 * are kept in memory.
 */
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
 * Reads the transfers from a ledger file; empty if the file does not exist.
 * @throws HitlError TOOL_FAILED for an invalid line.
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
