import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { isInstalled } from '../../scripts/tools.mjs';
import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore } from '../../sessions/postgres/index.js';
import type { Clock } from '../../src/core/index.js';
import { tickingClock } from '../sessions/temporary-store.js';

/** `npm run tools` installs the databases; without them tests that need one say that they were skipped. */
export const hasDatabases = isInstalled('servers');

/** Moves on as other clocks of tests do, and waits a little: a database is not asked again and again in one breath. */
export function briefClock(): Clock {
  const { now } = tickingClock();
  return {
    now,
    sleep: (ms, signal) =>
      sleep(Math.min(ms, 5), undefined, { signal }).catch(() => {
        throw signal.reason;
      }),
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
