import { randomBytes } from 'node:crypto';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { standingsOf } from '../../commands/report/standing.js';
import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgliteDriver } from '../../sessions/postgres/index.js';
import type { Answer, SessionId, StoredEvent, StoreOrigin } from '../../src/core/index.js';
import { beforeRestoreWords, questionView } from '../../src/human/index.js';
import { agent, confirmation, started, transferTurn } from '../sessions/sample-events.js';
import { briefClock, hasDatabases, storeOn } from './databases.js';

const KEY = new Uint8Array(32).fill(1);
const QUESTION = confirmation('i1', 'a', { amount: 200 });
const YES: Answer = {
  id: QUESTION.id,
  digest: QUESTION.digest,
  resolution: { action: 'restart' },
  by: { type: 'person', name: 'ann', via: 'library' },
};
const CLAIM_MS = 5_000;
/** Tests before it said so. */
const RESTORED: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
const REFUSED = {
  code: 'STORE_UNAVAILABLE',
  message:
    'this database is a copy; sessions cannot continue until you run hitl store restored or hitl store moved',
};

describe.skipIf(!hasDatabases)('a database that was restored from a backup', () => {
  let driver: SqlDriver;
  let spaces = 0;

  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
  });
  afterAll(() => driver.close());

  /** Another process each time. */
  function processesOf(key?: Uint8Array): () => PostgresStore {
    spaces += 1;
    const space = `copy ${spaces}`;
    return () => storeOn(driver, space, undefined, key);
  }

  async function asking(store: PostgresStore): Promise<SessionId> {
    await using session = await store.create({ agent });
    await session.append(transferTurn().slice(0, 5));
    return session.id;
  }

  function originOf({ capabilities: { origin } }: PostgresStore): StoreOrigin {
    if (origin === undefined) throw new Error('it does not know where it is');
    return origin;
  }

  /** As a dump leaves it that was restored: its tables are others. */
  const asRestored = (): Promise<unknown> =>
    driver.query('update hitl_copy set tables = tables + 1 where epoch = (select max(epoch) from hitl_copy)');

  const kinds = async (store: PostgresStore): Promise<readonly string[]> => {
    const found: string[] = [];
    for await (const { interrupt } of store.waiting()) found.push(interrupt.kind);
    return found;
  };

  const journalOf = async (store: PostgresStore, id: SessionId): Promise<readonly string[]> => {
    await using session = await store.open(id, 'read');
    const types: string[] = [];
    for await (const { event } of session.events()) types.push(event.type);
    return types;
  };

  const claimed = async (store: PostgresStore): Promise<SessionId | undefined> => {
    await using session = await store.capabilities.worklist?.claim(AbortSignal.timeout(CLAIM_MS));
    return session?.id;
  };

  describe.each([
    ['without a key', undefined],
    ['with a key', KEY],
  ])('%s', (_name, key) => {
    test('R9: asks what became of a call that was approved before the backup, and counts no approval', async () => {
      const store = processesOf(key);
      const id = await asking(store());
      await store().post(id, YES);
      await originOf(store()).restored();
      const worker = store();
      {
        await using session = await worker.capabilities.worklist?.claim(AbortSignal.timeout(CLAIM_MS));
        expect([session?.id, session?.notices]).toEqual([
          id,
          [
            `session ${id} is in a database that was restored from a backup: its approvals are no longer valid, and you are asked about calls that may have run`,
          ],
        ]);
        const [call] = session?.state.open?.calls ?? [];
        expect([call?.state.status, call?.approval]).toEqual(['interrupted', undefined]);
      }
      expect(await kinds(store())).toEqual(['in-doubt']);
      const records = await journalOf(store(), id);
      expect(records.slice(-2)).toEqual(['approvals-voided', 'interrupt-raised']);
      const events: StoredEvent[] = [];
      for await (const stored of (await store().open(id, 'read')).events()) events.push(stored);
      const voided = events.find(({ event }) => event.type === 'approvals-voided');
      expect(voided?.event).toMatchObject({ restored: true });
      expect([...standingsOf(events).values()].flat()).toEqual([
        { type: 'void', seq: voided?.seq, at: voided?.at, why: 'restored' },
      ]);
      await using again = await store().open(id, 'write');
      expect([again.notices, again.version]).toEqual([[], records.length]);
    });

    test('F7: shows a reader what the next writer will find', async () => {
      const store = processesOf(key);
      const id = await asking(store());
      await store().post(id, YES);
      await originOf(store()).restored();
      await using session = await store().open(id, 'read');
      expect(session.state.open?.calls[0]?.state.status).toBe('interrupted');
    });

    test('F7: hands out no answer that was left before the backup, and leaves its question open', async () => {
      const store = processesOf(key);
      const id = await asking(store());
      const left = await (async () => {
        await using _writer = await store().open(id, 'write');
        return await store().post(id, YES);
      })();
      expect(left.type).toBe('left');
      await originOf(store()).restored();
      {
        await using session = await store().open(id, 'write');
        expect(await session.answers().take()).toBeUndefined();
      }
      expect(await kinds(store())).toEqual(['confirmation']);
      expect((await store().post(id, YES)).type).toBe('recorded');
    });

    test('F7: says of what was asked before that it may have been answered and run, and of nothing that is asked since', async () => {
      const store = processesOf(key);
      const id = await asking(store());
      const told = async (): Promise<readonly string[]> => {
        await using session = await store().open(id, 'read');
        return questionView(QUESTION, session.state).warnings.map(({ message }) => message);
      };
      await originOf(store()).restored();
      const { restoredAt } = await originOf(store()).look();
      const words = `raised before the restore on ${String(restoredAt?.slice(0, 10))}: it may already have been answered and run`;
      expect(beforeRestoreWords(QUESTION, restoredAt)).toBe(words);
      expect(await told()).toEqual([words]);
      {
        await using session = await store().open(id, 'write');
        expect(questionView(QUESTION, session.state).warnings.length).toBe(1);
      }
      expect(await told()).toEqual([words]); // it was taken over
      await using session = await store().open(id, 'read');
      const since = { ...QUESTION, raisedAt: new Date(Date.now() + 60_000).toISOString() };
      expect(questionView(since, session.state).warnings).toEqual([]);
    });

    test('F7: leaves what is asked as it is, and counts what is answered from then on', async () => {
      const store = processesOf(key);
      const id = await asking(store());
      await originOf(store()).restored();
      expect((await store().post(id, YES)).type).toBe('recorded');
      await using session = await store().open(id, 'write');
      expect(session.state.open?.calls[0]?.approval === undefined).toBe(false);
    });
  });

  test('F7: asks what became of a call that had begun, and takes the session from whoever has it', async () => {
    const store = processesOf();
    const id = await asking(store());
    await store().post(id, YES);
    await using running = await store().open(id, 'write');
    await running.append([started('a', 2, { amount: 200 })]);
    await originOf(store()).restored();
    await expect(running.append([{ type: 'model-started', attempt: 2 }])).rejects.toMatchObject({
      code: 'VERSION_CONFLICT',
    });
    expect(await claimed(store())).toBe(id);
    expect(await kinds(store())).toEqual(['in-doubt']);
  });

  test('F7: says what it would void before it does', async () => {
    const store = processesOf();
    const [first, second] = [await asking(store()), await asking(store())];
    await asking(store());
    await store().post(first, YES);
    await store().post(second, YES);
    {
      await using running = await store().open(second, 'write');
      await running.append([started('a', 2, { amount: 200 })]);
    }
    const before = { sessions: 2, approved: 1, begun: 1, workflows: 0, isAll: true };
    expect(await originOf(store()).survey()).toEqual(before);
    await originOf(store()).restored();
    expect([await claimed(store()), await claimed(store())].toSorted()).toEqual([first, second].toSorted());
    expect(await originOf(store()).survey()).toEqual({
      sessions: 0,
      approved: 0,
      begun: 0,
      workflows: 0,
      isAll: true,
    });
  });

  test('F7: is said whole or not at all', async () => {
    const store = processesOf();
    const id = await asking(store());
    await store().post(id, YES);
    await using running = await store().open(id, 'write');
    const killed: SqlDriver = {
      ...driver,
      transaction: (act) =>
        driver.transaction(async (sql) => {
          await act(sql);
          throw new Error('killed');
        }),
    };
    await expect(originOf(storeOn(killed, 'killed')).restored()).rejects.toMatchObject({
      code: 'SAVE_FAILED',
    });
    await running.append([started('a', 2, { amount: 200 })]);
    expect(running.lost.aborted).toBe(false);
  });

  test('F7: gives a session of another dump to nobody before it is said what it is', async () => {
    const store = processesOf();
    const id = await asking(store());
    await store().post(id, YES);
    await asRestored();
    expect(await originOf(store()).look()).toMatchObject({ isCopy: true });
    await expect(claimed(store())).rejects.toMatchObject(REFUSED);
    await expect(store().open(id, 'write')).rejects.toMatchObject(REFUSED);
    await expect(store().post(id, YES)).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
    await using session = await store().open(id, 'read');
    expect(session.state.open?.calls[0]?.approval === undefined).toBe(false);
    await originOf(store()).restored();
    expect(await originOf(store()).look()).toMatchObject({ isCopy: false });
    expect([await claimed(store()), await kinds(store())]).toEqual([id, ['in-doubt']]);
  });

  test('F7: goes on with what was approved where the same database was moved', async () => {
    const store = processesOf();
    const id = await asking(store());
    await store().post(id, YES);
    await asRestored();
    await originOf(store()).moved();
    await using session = await store().capabilities.worklist?.claim(AbortSignal.timeout(CLAIM_MS));
    expect([session?.id, session?.notices, session?.state.open?.calls[0]?.approval === undefined]).toEqual([
      id,
      [],
      false,
    ]);
  });

  test('F7: tells once that it was promoted, and goes on', async () => {
    const store = processesOf();
    const id = await asking(store());
    await store().post(id, YES);
    await driver.query('update hitl_copy set timeline = timeline + 1');
    const told: unknown[] = [];
    const promoted = (seen: unknown): void => void told.push(seen);
    const listening = createPostgresStore({
      ...{ connection: driver, clock: briefClock(), random: randomBytes, space: `copy ${spaces}` },
      promoted,
    });
    expect(await claimed(listening)).toBe(id);
    expect(await originOf(listening).look()).toEqual({
      isCopy: false,
      promoted: { from: 2, to: 1 },
      restoredAt: RESTORED,
    });
    expect(told).toEqual([{ from: 2, to: 1 }]);
    await originOf(store()).moved();
    expect(await originOf(store()).look()).toEqual({ isCopy: false, restoredAt: RESTORED });
  });

  test.each(['pg_control_system', 'pg_walfile_name'])(
    'F7: works where %s may not be asked',
    async (denied) => {
      const refused = Object.assign(new Error(`permission denied for function ${denied}`), { code: '42501' });
      const guarded: SqlDriver = {
        ...driver,
        query: (text, parameters) =>
          text.includes(denied) ? Promise.reject(refused) : driver.query(text, parameters),
      };
      const store = (): PostgresStore => storeOn(guarded, `guarded ${denied}`);
      const id = await asking(store());
      await store().post(id, YES);
      expect(await originOf(store()).look()).toEqual({ isCopy: false, restoredAt: RESTORED });
      expect(await claimed(store())).toBe(id);
      await asRestored();
      await expect(store().open(id, 'write')).rejects.toMatchObject(REFUSED);
      await originOf(store()).moved();
      await using session = await store().open(id, 'write');
      expect(session.notices).toEqual([]);
    },
  );
});
