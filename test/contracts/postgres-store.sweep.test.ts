import { afterAll, beforeAll, describe, onTestFinished } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgDriver, pgliteDriver } from '../../sessions/postgres/index.js';
import type { StoreUnderTest } from '../../src/testing/index.js';
import { hasDatabases, storeOn } from '../postgres/databases.js';
import { describeStore } from './store-suite.js';

interface Started {
  /** The driver of a process that uses it. */
  readonly driver: () => SqlDriver;
  readonly stop: () => Promise<void>;
}

/** Stores as two processes have them. */
function suite(name: string, start: () => Promise<Started>) {
  let started: Started | undefined;
  let spaces = 0;

  beforeAll(async () => {
    started = await start();
  });

  afterAll(async () => started?.stop());

  function make(): StoreUnderTest {
    if (started === undefined) throw new Error('the database was not started');
    spaces += 1;
    const space = `case ${spaces}`;
    const driver = started.driver();
    const other = started.driver();
    const stores = [storeOn(driver, space), storeOn(other, space)] as const;
    onTestFinished(async () => {
      for (const store of stores) await store.close();
      for (const each of new Set([driver, other])) await each.close();
    });
    const takeAway = async (id: string): Promise<void> => {
      const text = 'update hitl_session set holder = null where space = $1 and id = $2';
      await driver.query(text, [space, id]);
    };
    return { store: stores[0], another: stores[1], takeAway };
  }

  describeStore(name, make, 2);
}

describe.skipIf(!hasDatabases)('on PostgreSQL (`npm run tools` installs it)', () => {
  describe('in this process', () => {
    suite('the PostgreSQL store on PGlite', async () => {
      const { createPglite } = await import('../../tools/servers/pglite.mjs');
      const driver = pgliteDriver(await createPglite());
      return { driver: () => ({ ...driver, close: () => Promise.resolve() }), stop: () => driver.close() };
    });
  });

  describe('on a server', () => {
    suite('the PostgreSQL store on a server', async () => {
      const { pg, startServer } = await import('../../tools/servers/server.mjs');
      const server = await startServer();
      return { driver: () => pgDriver(pg, server.url), stop: () => server.stop() };
    });
  });
});
