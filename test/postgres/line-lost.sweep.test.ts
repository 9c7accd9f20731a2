import { randomBytes } from 'node:crypto';
import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import { lineTo } from '../fleet/proxy.js';
import type { PostgresStore } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgDriver } from '../../sessions/postgres/index.js';
import { runWorker } from '../../sessions/index.js';
import type { Answer, SessionId } from '../../src/core/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, withServer } from './databases.js';

const QUESTION = confirmation('i1', 'a', { amount: 200 });

function answerOf(name: string): Answer {
  const { id, digest } = QUESTION;
  return { id, digest, resolution: { action: 'restart' }, by: { type: 'person', name, via: 'library' } };
}

async function waitingIn(store: PostgresStore): Promise<SessionId> {
  await using session = await store.create({ agent, events: transferTurn().slice(0, 5) });
  return session.id;
}

describe.skipIf(!hasDatabases)('a line to PostgreSQL (`npm run tools` installs it)', () => {
  let database: TestServer;

  withServer((started) => {
    database = started;
  });

  async function storeAt(url: string, space: string): Promise<PostgresStore> {
    const { pg } = await import('../../tools/servers/server.mjs');
    const driver = pgDriver(pg, url);
    const store = createPostgresStore({ connection: driver, clock: systemClock, random: randomBytes, space });
    onTestFinished(async () => {
      await store.close();
      await driver.close();
    });
    return store;
  }

  test('R7: a worker whose line falls silent finds that out by its own clock, and goes on over a new one', async () => {
    const line = await lineTo(database.url);
    onTestFinished(() => line.close());
    const [people, fleet] = [await storeAt(database.url, 'silent'), await storeAt(line.url, 'silent')];
    const stop = new AbortController();
    const done: SessionId[] = [];
    const working = runWorker({
      store: fleet,
      clock: systemClock,
      signal: stop.signal,
      handle: async (session) => {
        await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
        return 'rests';
      },
      told: ({ session }) => {
        done.push(session);
      },
    });
    const first = await waitingIn(people);
    await people.post(first, answerOf('ann'));
    while (!done.includes(first)) await passing(50);
    line.silence();
    const from = performance.now();
    const second = await waitingIn(people);
    await people.post(second, answerOf('ann'));
    while (!done.includes(second)) await passing(50);
    const took = (performance.now() - from) / 1_000;
    stop.abort();
    await working;
    expect(took).toBeLessThan(60);
    // oxlint-disable-next-line no-console -- the figure of a report
    console.log(`a silent line was noticed and replaced after ${took.toFixed(0)} s`);
  });

  test.for(['repeatable read', 'serializable'])(
    'R12: people who answer at once are told who was first, where the database is %s by default',
    async (isolation) => {
      const { pg } = await import('../../tools/servers/server.mjs');
      const admin = pgDriver(pg, database.url);
      onTestFinished(async () => {
        await admin.query(`alter database postgres reset default_transaction_isolation`);
        await admin.close();
      });
      await admin.query(`alter database postgres set default_transaction_isolation = '${isolation}'`);
      const stores = [
        await storeAt(database.url, isolation),
        await storeAt(database.url, isolation),
      ] as const;
      const ends: Record<string, number> = {};
      for (let round = 0; round < 40; round += 1) {
        const id = await waitingIn(stores[0]);
        const both = await Promise.allSettled(
          stores.map((store, index) => store.post(id, answerOf(['ann', 'bob'][index] ?? ''))),
        );
        for (const end of both) {
          const word = end.status === 'fulfilled' ? end.value.type : (end.reason as { code: string }).code;
          ends[word] = 1 + (ends[word] ?? 0);
        }
      }
      const { recorded = 0, left = 0, ALREADY_ANSWERED: late = 0, ...others } = ends;
      expect(others).toEqual({});
      expect(recorded + left + late).toBe(80);
      expect(recorded).toBe(40);
    },
  );
});
