import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll } from 'vitest';

import { isInstalled } from '../../scripts/tools.mjs';
import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import type { Clock } from '../../src/core/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';

/** `npm run tools` installs the databases; without them tests that need one say that they were skipped. */
export const hasDatabases = isInstalled();

/**
 * Starts a server before the tests of a block, and ends it after them, with the drivers that `drive` made of it.
 * @param ready is given both; `drive` takes what follows the address, as `?application_name=a`
 */
export function withServer(ready: (server: TestServer, drive: (query?: string) => SqlDriver) => void): void {
  const drivers: SqlDriver[] = [];
  let server: TestServer | undefined;
  beforeAll(async () => {
    const { pg, startServer } = await import('../../tools/servers/server.mjs');
    const started = await startServer();
    server = started;
    ready(started, (query = '') => {
      const driver = pgDriver(pg, `${started.url}${query}`);
      drivers.push(driver);
      return driver;
    });
  });
  afterAll(async () => {
    for (const driver of drivers) await driver.close();
    await server?.stop();
  });
}

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
