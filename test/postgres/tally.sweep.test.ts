import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import { interruptId, makeInterrupt } from '../../src/core/index.js';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';

const OLD = '2026-01-01T00:00:00.000Z';

describe.skipIf(!hasDatabases)('a tally of a database', () => {
  let driver: SqlDriver;
  let store: PostgresStore;

  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
    store = storeOn(driver, 'tallied');
  });
  afterAll(async () => {
    await store.close();
    await driver.close();
  });

  test('counts what is open, due, failing and held, and a sleep is no question', async () => {
    const asked = { type: 'interrupt-raised', interrupt: confirmation('i1', 'a', { amount: 200 }) } as const;
    const sleep = makeInterrupt(
      {
        kind: 'question',
        source: { type: 'node', node: 'later', wait: 'timer' } as never,
        payload: null,
        timeoutMs: 3_600_000,
      },
      { id: interruptId('i1'), path: [] as never, raisedAt: OLD },
    );
    const ids: string[] = [];
    for (const events of [[asked], [asked], []]) {
      await using session = await store.create({ agent, events: [...transferTurn().slice(0, 4), ...events] });
      ids.push(session.id);
    }
    const set = (id: string | undefined, columns: string) =>
      driver.query(`update hitl_session set ${columns} where id = $1`, [id ?? '']);
    const open = (id: string | undefined, column: string, value: string) =>
      driver.query(`update hitl_open set ${column} = $2 where session = $1`, [id ?? '', value]);
    await open(ids[0], 'raised_at', OLD);
    await open(ids[1], 'body', JSON.stringify(sleep));
    await driver.query(
      `update hitl_open set tool = null, kind = 'question', packed = null where session = $1`,
      [ids[1] ?? ''],
    );
    await set(ids[0], `wake_at = '2026-01-01T00:00:10Z', due_at = null`);
    await set(ids[1], `due_at = '2026-01-01T00:00:20Z', attempts = 6, again_at = '2026-01-01T00:01:00Z'`);
    await set(
      ids[2],
      `due_at = now() + interval '1 hour', holder = 7, holder_knows = 10, lease_until = now() + interval '1 hour'`,
    );
    await driver.query(
      `insert into hitl_open select sid, 'i9', 9, space, id, 'gate', null, 'nonsense', '{}'
      from hitl_session where id = $1`,
      [ids[2] ?? ''],
    );
    const tally = await store.capabilities.tally?.();
    const none = (names: readonly string[]) => names.map((name) => ({ name, count: 0 }));
    expect(tally).toEqual({
      open: [
        ...none(['question']),
        { name: 'confirmation', count: 1, oldest: Date.parse(OLD) },
        { name: 'gate', count: 1 },
        ...none(['pause', 'error', 'in-doubt', 'limit']),
        { name: 'wait', count: 1, oldest: expect.any(Number) as number },
      ],
      sessions: [
        ...none(['done']),
        { name: 'waiting', count: 2 },
        { name: 'interrupted', count: 1 },
        ...none(['failed']),
      ],
      held: 1,
      due: [
        { name: 'left', count: 1, oldest: Date.parse(OLD) + 10_000 },
        { name: 'retry', count: 1, oldest: Date.parse(OLD) + 60_000 },
        ...none(['run']),
      ],
      failing: 1,
    });
    expect(await store.capabilities.status?.()).toMatchObject({
      sessions: { waiting: 2, running: 1 },
      open: [
        { kind: 'confirmation', questions: 1, oldest: OLD },
        { kind: 'gate', questions: 1, oldest: '' },
        { kind: 'wait', questions: 1 },
      ],
      due: { sessions: 2, oldest: '2026-01-01T00:00:10.000Z' },
      failing: { sessions: 1, first: [{ session: ids[1], attempts: 6, again: Date.parse(OLD) + 60_000 }] },
    });
  });
});
