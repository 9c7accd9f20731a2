import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { PostgresStore, SqlDriver } from '../../sessions/postgres/index.js';
import type { SessionId, SessionStatus } from '../../src/core/index.js';
import { agent, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn, withServer } from './databases.js';

const SOON_MS = 20_000;

describe.skipIf(!hasDatabases)(
  'sessions that are found by index (`npm run tools` installs the database)',
  () => {
    let driver: SqlDriver;
    let other: SqlDriver;
    let spaces = 0;

    withServer((_server, drive) => {
      [driver, other] = [drive(), drive()];
    });

    /** A store in a space of its own, with all that is asked of the database. */
    function recorded(): { readonly store: PostgresStore; readonly space: string; readonly asked: string[] } {
      const asked: string[] = [];
      const space = `s${(spaces += 1)}`;
      const query: SqlDriver['query'] = (text, parameters) => {
        asked.push(text);
        return driver.query(text, parameters);
      };
      return { store: storeOn({ ...driver, query }, space), space, asked };
    }

    /** A session that asks, and that nobody writes. */
    async function waitingIn(store: PostgresStore): Promise<SessionId> {
      await using session = await store.create({ agent, events: transferTurn().slice(0, 5) });
      return session.id;
    }

    /** What a watch tells, from when it has begun. */
    async function watched(store: PostgresStore) {
      const told: string[] = [];
      const stop = new AbortController();
      const over = (async () => {
        for await (const { session, what } of store.watch(stop.signal)) told.push(`${session} ${what}`);
      })();
      onTestFinished(async () => {
        stop.abort();
        await over;
      });
      while (told.length === 0) {
        await waitingIn(store); // it has begun once it tells of one
        await sleep(20);
      }
      const tells = async (line: string): Promise<void> => {
        await expect.poll(() => told, { timeout: SOON_MS }).toContain(line);
      };
      return { told, tells };
    }

    test('tell in lists and questions in which folder a session began, also one of an older program after its next record', async () => {
      const { store, space } = recorded();
      const turn = transferTurn();
      await using session = await store.create({
        agent,
        cwd: '/home/ann/shop\0',
        events: turn.slice(0, 5),
      });
      await waitingIn(store);
      const foldersOf = async () => {
        const found: (string | undefined)[] = [];
        for await (const { folder } of store.list()) found.push(folder);
        for await (const { folder } of store.waiting()) found.push(folder);
        return found.sort();
      };
      const folder = '/home/ann/shop\ufffd';
      expect(await foldersOf()).toEqual([folder, folder, undefined, undefined]);
      await driver.query('update hitl_session set folder = null where space = $1', [space]);
      expect(await foldersOf()).toEqual([undefined, undefined, undefined, undefined]);
      await session.append([{ type: 'run-continued' }]);
      expect(await foldersOf()).toEqual([folder, folder, undefined, undefined]);
    });

    const TOUCH = `update hitl_session set waiting = waiting + 1, updated_at = updated_at || 'x' where space = $1 and id = $2`;

    test('R8: a watch tells of what a slow transaction wrote, however late it is committed, and of each change once', async () => {
      const { store, space } = recorded();
      const [slow, fast] = [await waitingIn(store), await waitingIn(store)];
      const { told, tells } = await watched(store);
      let commit = (): void => undefined;
      const committed = new Promise<void>((resolve) => {
        commit = resolve;
      });
      const slowly = other.transaction(async (sql) => {
        await sql.query(TOUCH, [space, slow]);
        await committed;
      });
      await driver.query(TOUCH, [space, fast]);
      await tells(`${fast} raised`);
      await driver.query(TOUCH, [space, fast]);
      await expect.poll(() => told.filter((line) => line === `${fast} raised`).length).toBe(2);
      commit();
      await slowly;
      await tells(`${slow} raised`);
      await driver.query(TOUCH, [space, fast]);
      await expect.poll(() => told.filter((line) => line === `${fast} raised`).length).toBe(3);
      expect(told.filter((line) => line === `${slow} raised`)).toEqual([`${slow} raised`]);
    });

    test('R8: a watch reads none of what was there, and nothing that came with a copy from another server', async () => {
      const { store, space, asked } = recorded();
      await waitingIn(store);
      await driver.query(
        `insert into hitl_change (xid, space, session, status, waiting, updated)
       values ('999999999', $1, 'foreign', 'done', 0, '')`,
        [space],
      );
      const { told, tells } = await watched(store);
      const id = await waitingIn(store);
      await tells(`${id} raised`);
      await store.remove(id);
      await tells(`${id} removed`);
      expect(told.filter((line) => line.startsWith('foreign'))).toEqual([]);
      const looks = asked.filter((text) => /^\s*select/.test(text) && text.includes('from hitl_session'));
      expect(looks.filter((text) => !text.includes('where s.space = $1 and s.id = $2'))).toEqual([]);
    });

    test('R8: the end of a process is told and listed, though nothing of its sessions was written', async () => {
      const { store, space } = recorded();
      const { tells } = await watched(store);
      const dead = storeOn(other, space);
      await dead.create({ agent, events: transferTurn().slice(0, 1) });
      const [session] = await listed(store, 'running');
      await tells(`${String(session)} created`);
      await driver.query(
        `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and classid = 4711
       and objid = (select holder from hitl_session where space = $1 and id = $2)`,
        [space, String(session)],
      );
      await tells(`${String(session)} changed`);
      expect([await listed(store, 'running'), await listed(store, 'interrupted')]).toEqual([[], [session]]);
    });

    test('locks are read by the chore of one of all, and not for a list', async () => {
      const { store, asked } = recorded();
      await waitingIn(store);
      for (const status of [undefined, 'waiting', 'running', 'interrupted', 'done'] as const)
        await listed(store, status);
      expect(asked.filter((text) => text.includes('pg_locks') && !text.includes('hitl_chore'))).toEqual([]);
    });

    test('changes are kept for some minutes, whoever writes, and no longer', async () => {
      const { store, space } = recorded();
      const id = await waitingIn(store);
      await driver.query(
        `insert into hitl_change (at, space, session, status, waiting, updated)
       select now() - interval '11 minutes', $1, 'old', 'done', 0, '' from generate_series(1, 3000)`,
        [space],
      );
      for (let n = 0; n < 600; n += 1) await driver.query(TOUCH, [space, id]);
      const kept = await driver.query(
        `select session, count(*)::int as n from hitl_change where space = $1 group by session`,
        [space],
      );
      expect(kept).toEqual([{ session: id, n: expect.any(Number) as unknown }]);
    });

    async function listed(store: PostgresStore, status?: SessionStatus): Promise<readonly SessionId[]> {
      const ids: SessionId[] = [];
      for await (const { id } of store.list(status === undefined ? {} : { status })) ids.push(id);
      return ids;
    }
  },
);
