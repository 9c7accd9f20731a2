import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { expect, onTestFinished, test } from 'vitest';

import { runWorker } from '../../sessions/index.js';
import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { Clock } from '../../src/core/index.js';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';

const WORKERS = 20;
const ANSWERS = 20;

/** Looks on its own come as good as never: what is claimed was woken. */
const unhurried: Clock = { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms * 60, signal) };

test.skipIf(!hasDatabases)('an answer wakes a few of many workers, and not all of them (F2)', async () => {
  const { createPglite } = await import('../../tools/servers/pglite.mjs');
  const driver = pgliteDriver(await createPglite());
  let claims = 0;
  const counting: SqlDriver = {
    ...driver,
    query: (text, parameters) => {
      if (text.includes('set holder = $2')) claims += 1;
      return driver.query(text, parameters);
    },
  };
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const done: string[] = [];
  const working = Array.from({ length: WORKERS }, () =>
    runWorker({
      store: storeOn(counting, 'wake', unhurried),
      clock: unhurried,
      signal: stop.signal,
      handle: async (session) => {
        await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
        return 'rests';
      },
      told: ({ session }) => {
        done.push(session);
      },
    }),
  );
  onTestFinished(async () => {
    stop.abort();
    await Promise.all(working);
    await driver.close();
  });
  const people = storeOn(driver, 'wake', systemClock);
  const ids = [];
  for (let made = 0; made < ANSWERS; made += 1) {
    await using session = await people.create({ agent, events: transferTurn().slice(0, 5) });
    ids.push(session.id);
  }
  await expect
    .poll(async () => people.capabilities.workers?.alive(), { timeout: 20_000 })
    .toHaveLength(WORKERS);
  await sleep(1_000);
  claims = 0;
  const { id, digest } = confirmation('i1', 'a', { amount: 200 });
  for (const session of ids) {
    const by = { type: 'person', name: 'ann', via: 'answer' } as const;
    await people.post(session, { id, digest, resolution: { action: 'restart' }, by });
    await expect.poll(() => done, { timeout: 10_000 }).toContain(session);
  }
  await sleep(500);
  expect(done.toSorted()).toEqual(ids.toSorted());
  // Whoever is woken looks, and the one that found something looks once more behind it.
  expect(claims / ANSWERS).toBeLessThan(4);
});
