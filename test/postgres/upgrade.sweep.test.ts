import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { pgDriver } from '../../sessions/postgres/index.js';
import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import type { SessionId } from '../../src/core/index.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';

const QUESTION = confirmation('i1', 'a', { amount: 200 });
const CLAIM_MS = 5_000;

async function waitingIn(store: PostgresStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  return session.id;
}

describe.skipIf(!hasDatabases)('tables of two versions (`npm run tools` installs the database)', () => {
  let database: TestServer;
  let driver: SqlDriver;

  beforeAll(async () => {
    const { pg, startServer } = await import('../../tools/servers/server.mjs');
    database = await startServer();
    driver = pgDriver(pg, database.url);
  });

  afterAll(async () => {
    await driver.close();
    await database.stop();
  });

  test('F8: what 0.2.0 looks at says that it may go on, and a version that it cannot work with is refused', async () => {
    const store = storeOn(driver, 'a');
    await waitingIn(store);
    expect(await driver.query('select max(version) as version from hitl_schema')).toEqual([{ version: 3 }]);
    await driver.query('insert into hitl_version (version, reads_from) values (90, 4)');
    await waitingIn(storeOn(driver, 'b'));
    await driver.query('insert into hitl_version (version, reads_from) values (91, 91)');
    await expect(waitingIn(storeOn(driver, 'c'))).rejects.toMatchObject({
      code: 'SESSION_NEWER',
      message: expect.stringMatching(
        /^the tables of this database are of a newer version \(91; this one knows \d+\)$/,
      ) as unknown,
    });
    await driver.query('delete from hitl_version where version >= 90');
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
