import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isInstalled } from '../../scripts/tools.mjs';
import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';
import type { Clock } from '../../src/core/index.js';

/** `npm run tools` installs the databases; without them tests that need one say that they were skipped. */
export const hasDatabases = isInstalled('servers');

const TIMES = 10;
const START = Date.parse('2026-01-02T03:00:00.000Z');

/** Goes ten times as fast as the time, and never stands still: a lease is renewed, and a database is left in peace. */
export function briefClock(): Clock {
  const from = performance.now();
  let last = START;
  return {
    now: () => {
      last = Math.max(last + 1, Math.round(START + (performance.now() - from) * TIMES));
      return last;
    },
    sleep: (ms, signal) =>
      sleep(ms / TIMES, undefined, { signal }).catch(() => {
        throw signal.reason;
      }),
    correct: () => 0, // that of the database goes at another pace
  };
}

/** A store of its own on a database, as one process has it. */
export function storeOn(
  connection: SqlDriver,
  space: string,
  clock: Clock = briefClock(),
  key?: Uint8Array,
): PostgresStore {
  const signed = key === undefined ? {} : { key: () => key };
  return createPostgresStore({ clock, random: randomBytes, connection, space, ...signed });
}
