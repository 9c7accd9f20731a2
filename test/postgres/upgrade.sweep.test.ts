import { setTimeout as passing } from 'node:timers/promises';

import { describe, expect, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import type { SessionId } from '../../src/core/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn, withServer } from './databases.js';

/** The version of the tables of this program. */
const LAST = 13;
const QUESTION = confirmation('i1', 'a', { amount: 200 });
const CLAIM_MS = 5_000;
/** More than what was learnt of the version counts, by the brief clock. */
const LEARNT_MS = 600;

const newerBy = (version: number): string =>
  `this database's tables are from a newer version (${version}; this program supports ${LAST})`;

async function waitingIn(store: PostgresStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  return session.id;
}

describe.skipIf(!hasDatabases)('tables of two versions (`npm run tools` installs the database)', () => {
  let database: TestServer;
  let driver: SqlDriver;

  withServer((server, drive) => {
    database = server;
    driver = drive();
  });

  test('F8: what 0.2.0 looks at says that it may go on, and a version that it cannot work with is refused', async () => {
    await asMadeBy020();
    const store = storeOn(driver, 'a');
    await waitingIn(store);
    expect(await driver.query('select max(version) as version from hitl_schema')).toEqual([{ version: 3 }]);
    await driver.query('insert into hitl_version (version, reads_from) values (90, 4)');
    await waitingIn(storeOn(driver, 'b'));
    await driver.query('insert into hitl_version (version, reads_from) values (91, 91)');
    await expect(waitingIn(storeOn(driver, 'c'))).rejects.toMatchObject({
      code: 'SESSION_NEWER',
      message: newerBy(91),
    });
    await driver.query('delete from hitl_version where version >= 90');
  });

  /** As a database is that 0.2.0 made and this version brought up to date: 0.2.0 goes on with it. */
  async function asMadeBy020(): Promise<void> {
    await storeOn(driver, 'first').waitingCount();
    await storeOn(driver, 'first').capabilities.upgrade?.state();
    await driver.query('alter table hitl_session drop constraint if exists hitl_needs_a_newer_version');
    await driver.query('update hitl_version set reads_from = least(version, 3)');
    await driver.query('delete from hitl_schema where version > 3');
  }

  /** The columns of the records of a session that are packed. */
  const packedOf = async (id: SessionId): Promise<readonly unknown[]> =>
    (
      await driver.query(
        `select e.packed is not null as packed from hitl_session join hitl_event e using (sid) where id = $1
         union select o.packed is not null from hitl_session join hitl_open o using (sid) where id = $1`,
        [id],
      )
    ).map(({ packed }) => packed);

  test('F8: what 0.2.0 cannot read is written once an operator says that it is gone, and not before (M5)', async () => {
    await asMadeBy020();
    const store = storeOn(driver, 'u');
    const old = await waitingIn(store);
    expect(await packedOf(old)).toEqual([false]);
    const { upgrade } = store.capabilities;
    expect(await upgrade?.state()).toEqual({ isDone: false, older: [] });
    await upgrade?.upgrade();
    await upgrade?.upgrade();
    expect(await upgrade?.state()).toEqual({ isDone: true, older: [] });
    const asOld = `update hitl_session set holder = 1, fence = fence + 1, attempts = attempts + 1 where id = $1`;
    await expect(driver.query(asOld, [old])).rejects.toThrow('hitl_needs_a_newer_version');
    const [{ version: last } = {}] = await driver.query('select max(version) as version from hitl_version');
    expect(await driver.query('select version from hitl_schema order by version')).toEqual([
      ...[1, 2, 3].map((version) => ({ version })),
      { version: last }, // 0.2.0 looks here, and refuses
    ]);
    expect(await packedOf(await waitingIn(store))).toEqual([true]);
    await using session = await store.open(old, 'write');
    await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
    expect(await packedOf(old)).toEqual([false]);
  });

  test('F8: connections of programs that would not notice are named before', async () => {
    const { pg } = await import('../../tools/servers/server.mjs');
    const client = new pg.Client({ connectionString: database.url, application_name: 'hitl' });
    await client.connect();
    const state = await storeOn(driver, 'u').capabilities.upgrade?.state();
    await client.end();
    expect(state?.older).toEqual([
      { connection: expect.any(Number) as number, address: expect.any(String) as string },
    ]);
  });

  test('F8: a program that meets a newer version while it runs takes nothing more, and what runs comes to its rest (R10)', async () => {
    const store = storeOn(driver, 'r');
    const id = await waitingIn(store);
    const due = await store.create({ agent, events: transferTurn().slice(0, 4) });
    await due[Symbol.asyncDispose]();
    const { worklist } = store.capabilities;
    const running = await worklist?.claim(AbortSignal.timeout(CLAIM_MS));
    expect(running?.id).toBe(due.id);
    await driver.query('insert into hitl_version (version, reads_from) values (91, 91)');
    await passing(LEARNT_MS);
    const refused = { code: 'SESSION_NEWER', message: newerBy(91) };
    const { digest } = QUESTION;
    const by = { type: 'person', name: 'ann', via: 'library' } as const;
    const answer = { id: QUESTION.id, digest, resolution: { action: 'restart' }, by } as const;
    await expect(worklist?.claim(AbortSignal.timeout(CLAIM_MS))).rejects.toMatchObject(refused);
    await expect(store.post(id, answer)).rejects.toMatchObject(refused);
    await expect(store.create({ agent })).rejects.toMatchObject(refused);
    await expect(store.open(id, 'write')).rejects.toMatchObject(refused);
    await expect(store.remove(id)).rejects.toMatchObject(refused);
    await expect(store.list().next()).rejects.toMatchObject(refused);
    await expect(store.waiting().next()).rejects.toMatchObject(refused);
    if (running === undefined) throw new Error('nothing was claimed');
    await running.append([{ type: 'run-ended', reason: { type: 'done' } }]);
    await running[Symbol.asyncDispose]();
    expect(await worklist?.rest(running)).toBe(true);
    await driver.query('delete from hitl_version where version >= 90');
    await passing(LEARNT_MS);
    await using session = await store.open(due.id, 'read');
    expect([session.notices, session.version]).toEqual([[], running.version]);
  });

  test('F8: what 0.2.0 left is looked at by a worker that starts', async () => {
    const store = storeOn(driver, 'd');
    const id = await waitingIn(store);
    {
      await using held = await store.open(id, 'write');
      const by = { type: 'person', name: 'ann', via: 'library' } as const;
      const answer = {
        id: QUESTION.id,
        digest: QUESTION.digest,
        resolution: { action: 'restart' },
        by,
      } as const;
      expect(await storeOn(driver, 'd').post(id, answer)).toMatchObject({ type: 'left' });
      // as 0.2.0 leaves it, and as an append of it writes over that
      await driver.query(
        'update hitl_session set wakes = 0, looked = 0, wake_at = null, due_at = null where id = $1',
        [id],
      );
      expect(held.state.resolved.length).toBe(0);
    }
    const worker = storeOn(driver, 'd').capabilities.worklist;
    await using session = await worker?.claim(AbortSignal.timeout(CLAIM_MS));
    expect(session?.id).toBe(id);
    expect((await session?.answers().take())?.id).toBe(QUESTION.id);
  });
});
