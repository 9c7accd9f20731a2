import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import { createPostgresStore, pgliteDriver } from '../../sessions/postgres/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { Answer, SessionEvent, SessionId, SessionStore } from '../../src/core/index.js';
import { isHitlError, isSuspension } from '../../src/core/index.js';
import { agent, confirmation, said, transferTurn } from '../sessions/sample-events.js';
import type { TestServer } from '../../tools/servers/server.mjs';
import { briefClock, hasDatabases, storeOn, withServer } from './databases.js';

const question = confirmation('i1', 'a', { amount: 200 });

function answerOf(name: string): Answer {
  const { id, digest } = question;
  return { id, digest, resolution: { action: 'restart' }, by: { type: 'person', name, via: 'answer' } };
}

async function waiting(store: SessionStore): Promise<SessionId> {
  await using session = await store.create({ agent, events: transferTurn().slice(0, 5) });
  return session.id;
}

/** Reads what was said in a session, as somebody else finds it. */
async function textsIn(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  await using session = await store.open(id, 'read');
  expect(session.notices).toEqual([]);
  return session.state.entries.toArray().flatMap(({ message }) => {
    const [part] = message.content;
    return part?.type === 'text' ? [part.text] : [];
  });
}

/** Posts an answer, and waits for what becomes of it. */
async function answered(store: SessionStore, id: SessionId, name: string): Promise<boolean> {
  try {
    const posted = await store.post(id, answerOf(name));
    return (await store.fate(posted, AbortSignal.timeout(60_000))).type === 'used';
  } catch (thrown) {
    if (isHitlError(thrown) && thrown.code === 'ALREADY_ANSWERED') return false;
    throw thrown;
  }
}

describe.skipIf(!hasDatabases)('sessions in PostgreSQL (`npm run tools` installs it)', () => {
  test('leave no row and no file of a session that was removed (adopter 3)', async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    const driver = pgliteDriver(await createPglite());
    const files = mkdtempSync(join(tmpdir(), 'hitl-beside-'));
    const word = 'MARIASECRET77';
    const store = createPostgresStore({
      connection: driver,
      clock: briefClock(),
      random: randomBytes,
      files,
    });
    const session = await store.create({ agent, title: word, events: transferTurn(word).slice(0, 5) });
    const { id } = session;
    await session[Symbol.asyncDispose]();
    const kept = JSON.stringify(word);
    await store.capabilities.outputs?.keep(id, kept, createHash('sha256').update(kept).digest('hex'));
    writeFileSync(store.capabilities.outputs?.fileBeside(id, 'bank.jsonl') ?? '', word);
    const ann = { type: 'person', name: 'ann', via: 'answer' } as const;
    await store.mail(id).send({ text: word, from: ann }, {}, AbortSignal.timeout(60_000));
    const tables = await driver.query(
      `select relname::text as name from pg_class where relname like 'hitl%' and relkind = 'r'`,
    );
    const holding = async (): Promise<readonly unknown[]> => {
      const rows = await Promise.all(
        tables.map(({ name }) =>
          driver.query(`select '${String(name)}' as name from ${String(name)} t where t::text like $1`, [
            `%${word}%`,
          ]),
        ),
      );
      return rows.flat().map(({ name }) => name);
    };
    /** Records are packed: a word in them is not seen in a row. */
    const records = async () => driver.query('select count(*)::int as n from hitl_event');
    expect(await holding()).toEqual(expect.arrayContaining(['hitl_session', 'hitl_mail']));
    expect(await records()).not.toEqual([{ n: 0 }]);
    await store.remove(id);
    expect([await holding(), await records(), readdirSync(files)]).toEqual([[], [{ n: 0 }], []]);
    await store.close();
    rmSync(files, { recursive: true });
  });

  describe('behind a connection that breaks', () => {
    let driver: SqlDriver;

    beforeAll(async () => {
      const { createPglite } = await import('../../tools/servers/pglite.mjs');
      driver = pgliteDriver(await createPglite());
    });

    afterAll(() => driver.close());

    test.for([
      ['after the append was committed', 'after'],
      ['before the append was committed', 'before'],
    ] as const)('%s have what was appended, once', async ([title, when]) => {
      let breaks = 0;
      const breaking: SqlDriver = {
        ...driver,
        query: async (text, parameters) => {
          const isHit = breaks > 0 && text.includes('insert into hitl_event');
          if (isHit) breaks -= 1;
          const rows = isHit && when === 'before' ? [] : await driver.query(text, parameters);
          if (isHit) throw new Error('Connection terminated unexpectedly');
          return rows;
        },
      };
      const store = storeOn(breaking, title);
      await using session = await store.create({ agent });
      breaks = 2;
      await session.append([said('a')]);
      await session.append([said('b')]);
      expect(breaks).toBe(0);
      expect(session.lost.aborted).toBe(false);
      expect(await textsIn(storeOn(driver, title), session.id)).toEqual(['a', 'b']);
    });

    test('are asked for again where the connection was cut with EPIPE, which is no word of the database', async () => {
      let breaks = 1;
      const cut: SqlDriver = {
        ...driver,
        query: async (text, parameters) => {
          if (!text.includes('insert into hitl_event') || breaks === 0) return driver.query(text, parameters);
          breaks -= 1;
          throw Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
        },
      };
      const store = storeOn(driver, 'cut off');
      const { id } = await store.create({ agent }).then(async (made) => {
        await made[Symbol.asyncDispose]();
        return made;
      });
      await using session = await storeOn(cut, 'cut off').open(id, 'write');
      await session.append([said('a')]);
      expect(await textsIn(store, id)).toEqual(['a']);
    });

    test('take nothing that the database refuses, and say so', async () => {
      let refuses = false;
      const refusing: SqlDriver = {
        ...driver,
        query: async (text, parameters) => {
          if (refuses && text.includes('insert into hitl_event'))
            throw Object.assign(new Error('could not extend file: No space left on device'), {
              code: '53100',
            });
          return driver.query(text, parameters);
        },
      };
      const store = storeOn(refusing, 'full');
      await using session = await store.create({ agent });
      const { version } = session;
      refuses = true;
      await expect(session.append([said('a')])).rejects.toMatchObject({ code: 'SAVE_FAILED' });
      refuses = false;
      expect(session.version).toBe(version);
      await session.append([said('b')]);
      expect(await textsIn(store, session.id)).toEqual(['b']);
    });

    test('have one resolution of a question, also against our own faults', async () => {
      const id = await waiting(storeOn(driver, 'twice'));
      const insert = `insert into hitl_event (sid, seq, line, resolves)
        select sid, $2::bigint, '{}', 'i1' from hitl_session where space = 'twice' and id = $1`;
      await driver.query(insert, [id, 100]);
      await expect(driver.query(insert, [id, 101])).rejects.toMatchObject({ code: '23505' });
    });

    test('are listed, and their questions, in the order of an index: however many there are, none is sorted', async () => {
      const plans: string[] = [];
      const explaining: SqlDriver = {
        ...driver,
        query: async (text, parameters) => {
          const isPage = text.includes('order by s.updated_at') || text.includes('order by o.raised_at');
          if (isPage)
            plans.push(
              ...(await driver.query(`explain ${text}`, parameters)).map((row) => String(row['QUERY PLAN'])),
            );
          return driver.query(text, parameters);
        },
      };
      const store = storeOn(explaining, 'planned');
      for (let count = 0; count < 3; count += 1) await waiting(store);
      await driver.query('set enable_seqscan = off');
      await driver.query('set enable_bitmapscan = off');
      for await (const last of store.list({ limit: 1 }))
        for await (const { id } of store.list({ limit: 1, before: last, status: 'waiting' }))
          expect(id).not.toBe(last.id);
      for await (const after of store.waiting({ limit: 1 }))
        for await (const { session } of store.waiting({ limit: 1, after })) expect(session).not.toBe('');
      expect(
        plans.filter((line) => line.includes('Index Scan Backward using hitl_session_newest')),
      ).toHaveLength(1);
      expect(
        plans.filter((line) => line.includes('Index Scan Backward using hitl_session_status')),
      ).toHaveLength(1);
      expect(plans.filter((line) => line.includes('Index Scan using hitl_open_oldest'))).toHaveLength(2);
      expect(plans.filter((line) => line.includes('Sort'))).toEqual([]);
    });

    test('are damaged where their last record was taken out, and written no more', async () => {
      const store = storeOn(driver, 'cut');
      const id = await waiting(store);
      await driver.query(
        `delete from hitl_event where sid = (select sid from hitl_session where space = 'cut' and id = $1)
         and seq = (select max(seq) from hitl_event e join hitl_session s using (sid) where s.id = $1)`,
        [id],
      );
      await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
      expect(await store.isWritten(id)).toBe(false);
      await using seen = await store.open(id, 'read');
      expect(seen.notices).toEqual([
        `session ${id} is damaged at line 7: its last events do not match the ones that were written; only earlier events are shown`,
      ]);
    });
  });

  describe('on a server', () => {
    let server: TestServer;
    let drivers: readonly [SqlDriver, SqlDriver];

    withServer((started, drive) => {
      server = started;
      drivers = [drive(), drive()];
    });

    test('are answered once where two answer each question at the same time', async () => {
      const [ann, bob] = [storeOn(drivers[0], 'twice'), storeOn(drivers[1], 'twice')];
      const ids = await Promise.all(Array.from({ length: 100 }, () => waiting(ann)));
      const used = await Promise.all(
        ids.map((id) => Promise.all([answered(ann, id, 'ann'), answered(bob, id, 'bob')])),
      );
      expect(used.filter(([one, other]) => one === other)).toEqual([]);
      expect(await ann.waitingCount()).toBe(0);
      for (const id of ids) expect((await ann.open(id, 'read')).state.resolved.length).toBe(1);
      await Promise.all([ann.close(), bob.close()]);
    });

    test('are taken over at once from a process that is gone, and its late writes are refused', async () => {
      const [here, there] = [
        storeOn(drivers[0], 'gone', systemClock),
        storeOn(drivers[1], 'gone', systemClock),
      ];
      await using session = await here.create({ agent });
      await expect(there.open(session.id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
      await drivers[1].query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 4711`,
      );
      const since = performance.now();
      const taken = await untilOpen(there, session.id);
      expect(performance.now() - since).toBeLessThan(2000);
      expect([session.lost.aborted, isSuspension(session.lost.reason)]).toEqual([true, true]);
      await taken.append([said('there')]);
      await expect(session.append([said('late')])).rejects.toMatchObject({ code: 'VERSION_CONFLICT' });
      await taken[Symbol.asyncDispose]();
      expect(await textsIn(here, session.id)).toEqual(['there']);
      await using again = await here.open(session.id, 'write'); // it lives, and says so anew
      await again.append([said('here')]);
      await Promise.all([here.close(), there.close()]);
    });

    test('keep what was confirmed when the server is killed, and are written again when it is back', async () => {
      const store = storeOn(drivers[0], 'killed', systemClock);
      const confirmed = new Map<SessionId, SessionEvent[]>();
      const stop = new AbortController();
      async function work(): Promise<void> {
        while (!stop.signal.aborted) {
          try {
            await using session = await store.create({ agent });
            const texts: SessionEvent[] = [];
            confirmed.set(session.id, texts);
            for (let count = 0; count < 20; count += 1) {
              await session.append([said(`${count}`)]);
              texts.push(said(`${count}`));
            }
          } catch (thrown) {
            expect(isHitlError(thrown)).toBe(true); // and never an error that ends the process
            await systemClock.sleep(100, new AbortController().signal);
          }
        }
      }
      const working = [work(), work(), work()];
      for (let kills = 0; kills < 3; kills += 1) {
        await systemClock.sleep(700, new AbortController().signal);
        await server.crash();
      }
      await systemClock.sleep(700, new AbortController().signal);
      stop.abort();
      await Promise.all(working);
      expect(confirmed.size).toBeGreaterThan(10);
      for (const [id, events] of confirmed) {
        const texts = await textsIn(store, id);
        expect(texts.slice(0, events.length)).toEqual(events.map((_, index) => `${index}`));
        expect(texts).toEqual(texts.map((_, index) => `${index}`));
      }
      await store.close();
    });
  });
});

async function untilOpen(store: SessionStore, id: SessionId) {
  for (;;) {
    try {
      return await store.open(id, 'write');
    } catch (thrown) {
      if (!isHitlError(thrown) || thrown.code !== 'SESSION_LOCKED') throw thrown;
    }
  }
}
