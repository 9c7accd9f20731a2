import { randomBytes } from 'node:crypto';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import { runWorker } from '../../sessions/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import { createServer, listen, loopbackHosts } from '../../src/server/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, withServer } from './databases.js';

/** Connections of a pool that nobody asks anything end by then. */
const SETTLED_MS = 13_000;

describe.skipIf(!hasDatabases)('an idle process on PostgreSQL (`npm run tools` installs it)', () => {
  let database: TestServer;
  let watching: SqlDriver;

  withServer((server, drive) => {
    database = server;
    watching = drive('?application_name=watching');
  });

  async function storeNamed(name: string): Promise<PostgresStore> {
    const { pg } = await import('../../tools/servers/server.mjs');
    const driver = pgDriver(pg, `${database.url}?application_name=${name}`);
    const store = createPostgresStore({
      ...{ connection: driver, clock: systemClock, random: randomBytes, space: name },
    });
    onTestFinished(async () => {
      await store.close();
      await driver.close();
    });
    return store;
  }

  /** What the connections of a process asked last. */
  async function connectionsOf(name: string): Promise<readonly string[]> {
    const rows = await watching.query(
      `select query from pg_stat_activity where application_name = $1 order by query`,
      [name],
    );
    return rows.map(({ query }) => String(query));
  }

  test('has two connections as a worker, also after work for many slots', async () => {
    const store = await storeNamed('worker');
    for (let made = 0; made < 12; made += 1) {
      await using _session = await store.create({
        agent,
        events: [
          ...transferTurn().slice(0, 4),
          { type: 'interrupt-raised', interrupt: confirmation('i1', 'a', { amount: 200 }) },
        ],
      });
    }
    await watching.query(`update hitl_session set due_at = now() where space = 'worker'`);
    const stop = new AbortController();
    let done = 0;
    const working = runWorker({
      ...{ store, clock: systemClock, signal: stop.signal, slots: 8 },
      handle: async () => {
        await passing(50);
        done += 1;
        return 'rests';
      },
    });
    await passing(SETTLED_MS);
    const idle = await connectionsOf('worker');
    stop.abort();
    await working;
    expect([done >= 12, idle.length]).toEqual([true, 2]);
  }, 60_000);

  test('has two connections at most as a server that somebody watches', async () => {
    const store = await storeNamed('serve');
    const token = 't'.repeat(40);
    const server = await listen((port) => {
      const access = { type: 'link', token, name: 'ann' } as const;
      return createServer({ store, access, port, hosts: loopbackHosts(port) });
    });
    onTestFinished(() => server.close());
    const headers = { authorization: `Bearer ${token}` };
    const ask = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { headers });
    const stream = await ask('/v1/stream');
    const paths = ['/v1/waiting', '/v1/sessions', '/metrics', '/readyz', '/v1/waiting', '/v1/sessions'];
    expect(await Promise.all(paths.map(async (path) => (await ask(path)).status))).toEqual(
      paths.map(() => 200),
    );
    await passing(SETTLED_MS);
    expect((await connectionsOf('serve')).length).toBeLessThanOrEqual(2);
    await stream.body?.cancel();
  }, 60_000);
});
