import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';

import type { WorkDone, WorkerOptions } from '../../sessions/index.js';
import { runWorker } from '../../sessions/index.js';
import type { SqlDriver } from '../../sessions/postgres/index.js';
import { pgliteDriver } from '../../sessions/postgres/index.js';
import { systemClock } from '../../src/library/system-clock.js';
import type { AgentFingerprint, SessionId, SessionStore } from '../../src/core/index.js';
import { interruptId, isoTime, makeInterrupt } from '../../src/core/index.js';
import { agent, confirmation, transferTurn } from '../sessions/sample-events.js';
import { hasDatabases, storeOn } from './databases.js';

const ELSEWHERE: AgentFingerprint = { ...agent, modules: ['/srv/deploy.ts'] };
const READY = transferTurn().slice(0, 4);

async function ready(store: SessionStore, of = agent): Promise<SessionId> {
  await using session = await store.create({ agent: of, events: READY });
  return session.id;
}

/** A question that is rejected by itself after that time. */
async function expiring(store: SessionStore, ms: number): Promise<SessionId> {
  const { kind, path, source, payload } = confirmation('i1', 'a', { amount: 200 });
  const interrupt = makeInterrupt(
    { kind, source, payload, timeoutMs: ms, onTimeout: { action: 'reject' } },
    { id: interruptId('i1'), path, raisedAt: isoTime(systemClock.now()) },
  );
  await using session = await store.create({
    agent: ELSEWHERE,
    events: [...READY, { type: 'interrupt-raised', interrupt }],
  });
  return session.id;
}

/** A worker that has everything but `deploy.ts`. */
function worker(store: SessionStore, handle?: WorkerOptions['handle']) {
  const stop = new AbortController();
  const tried: SessionId[] = [];
  const done: WorkDone[] = [];
  const working = runWorker({
    store,
    clock: systemClock,
    signal: stop.signal,
    told: (one) => {
      done.push(one);
    },
    handle:
      handle ??
      (async (session) => {
        tried.push(session.id);
        if (session.state.agent?.modules !== undefined) return 'unknown';
        await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
        return 'rests';
      }),
  });
  const end = async () => {
    stop.abort();
    await working;
  };
  onTestFinished(end);
  return { tried, done, end };
}

describe.skipIf(!hasDatabases)('what sessions need, in PostgreSQL (`npm run tools` installs it)', () => {
  let driver: SqlDriver;
  let spaces = 0;

  beforeAll(async () => {
    const { createPglite } = await import('../../tools/servers/pglite.mjs');
    driver = pgliteDriver(await createPglite());
  });

  afterAll(() => driver.close());

  /** A store in a space of its own, and its statements. */
  function world() {
    spaces += 1;
    const space = `needs ${spaces}`;
    const statements: string[] = [];
    const counting: SqlDriver = {
      ...driver,
      query: (text, parameters) => {
        statements.push(text);
        return driver.query(text, parameters);
      },
    };
    return { space, statements, store: storeOn(counting, space, systemClock) };
  }

  const needsIn = async (space: string) =>
    (await driver.query('select needs from hitl_session where space = $1 order by sid', [space])).map(
      ({ needs }) => needs,
    );

  test('are written beside each session: a digest, and words (F2)', async () => {
    const { space, store } = world();
    await ready(store);
    await ready(store, ELSEWHERE);
    await ready(store, { ...ELSEWHERE, mcp: ['github'] });
    await ready(store, ELSEWHERE);
    const needs = await needsIn(space);
    expect(needs.map((text) => String(text).replace(/^[0-9a-f]{16} /u, ''))).toEqual([
      'demo',
      'deploy.ts',
      'deploy.ts, mcp github',
      'deploy.ts',
    ]);
    expect(new Set(needs).size).toBe(3);
  });

  test('are tried once for all sessions with the same, which stop no other (F2)', async () => {
    const { store, statements } = world();
    for (let made = 0; made < 100; made += 1) await ready(store, ELSEWHERE);
    const last = await ready(store);
    const { tried, done, end } = worker(store);
    await expect.poll(() => done.length, { timeout: 10_000 }).toBe(2);
    statements.length = 0;
    await sleep(1_200);
    await end();
    expect(tried).toEqual([expect.any(String), last]);
    expect(done.map(({ result }) => result)).toEqual(['unknown', 'rests']);
    expect(statements.filter((text) => text.includes('set holder = $2')).length).toBeLessThan(5);
  });

  test('of rows that an older version wrote are tried one by one, and written then (F2)', async () => {
    const { space, store } = world();
    for (let made = 0; made < 3; made += 1) await ready(store, ELSEWHERE);
    const before = await needsIn(space);
    await driver.query('update hitl_session set needs = null where space = $1', [space]);
    const { tried, done, end } = worker(store);
    await expect.poll(() => done.length, { timeout: 10_000 }).toBe(3);
    await end();
    expect(tried).toHaveLength(1);
    expect(await needsIn(space)).toEqual(before);
  });

  test('do not keep a worker from what is due by time, and it does not try them for it (F2, K1)', async () => {
    const { store } = world();
    const ids = [];
    for (let made = 0; made < 100; made += 1) await ready(store, ELSEWHERE);
    for (let made = 0; made < 3; made += 1) ids.push(await expiring(store, 2_000));
    const { tried, done, end } = worker(store);
    await expect.poll(() => done.length, { timeout: 20_000 }).toBe(4);
    await sleep(1_000);
    await end();
    expect(tried).toHaveLength(1);
    expect(done).toHaveLength(4);
    for (const id of ids) {
      const { state } = await store.open(id, 'read');
      expect(state.resolved.toArray().map(({ by }) => by.type)).toEqual(['clock']);
    }
  });

  test('are gone through by an index: a look reads little of what is due and not for it (F2)', async () => {
    const { space, store } = world();
    const one = await ready(store, ELSEWHERE);
    const [row] = await driver.query('select * from hitl_session where space = $1 and id = $2', [space, one]);
    const { sid: _sid, ...columns } = row ?? {};
    const names = Object.keys(columns).filter((name) => name !== 'id');
    await driver.query(
      `insert into hitl_session (id, ${names.join(', ')})
       select 'c' || lpad(i::text, 15, '0'), ${names.join(', ')}
       from hitl_session, generate_series(1, 10000) i where space = $1 and id = $2`,
      [space, one],
    );
    const able = await ready(store);
    await driver.query('analyze hitl_session');
    const [needs] = await needsIn(space);
    const plans: string[] = [];
    const explaining: SqlDriver = {
      ...driver,
      query: async (text, parameters) => {
        if (text.includes('needs = any($5'))
          plans.push(
            ...(await driver.query(`explain (analyze, buffers) ${text}`, parameters)).map((line) =>
              String(line['QUERY PLAN']),
            ),
          );
        return driver.query(text, parameters);
      },
    };
    // What is explained runs: the session is claimed by it, and found by nobody behind it.
    const lacking = () => ({ sessions: new Set<SessionId>(), needs: new Set([String(needs)]) });
    const stop = AbortSignal.timeout(300);
    expect(
      await storeOn(explaining, space, systemClock).capabilities.worklist?.claim(stop, { lacking }),
    ).toBe(undefined);
    expect(await store.isWritten(able)).toBe(true);
    const [first = ''] = plans.filter((line) => line.includes('Buffers: shared hit='));
    expect(Number(/shared hit=(\d+)/u.exec(first)?.[1])).toBeLessThan(300);
    await driver.query('delete from hitl_session where space = $1', [space]);
  });

  test('that every worker lacks are told, with why, and no more once a worker has them or none lives (F2)', async () => {
    const { space, store } = world();
    for (let made = 0; made < 3; made += 1) await ready(store, ELSEWHERE);
    const id = await ready(store, ELSEWHERE);
    const { workers } = store.capabilities;
    const unserved = () => workers?.unserved();
    expect([await workers?.alive(), await unserved()]).toEqual([[], []]);
    const one = worker(store, async () => ({ result: 'unknown', why: 'no `deploy.ts` here' }));
    const [needs] = await needsIn(space);
    const lack = { needs, why: 'no `deploy.ts` here' };
    await expect.poll(unserved, { timeout: 15_000 }).toEqual([{ ...lack, sessions: 4 }]);
    expect(await workers?.unserved(id)).toEqual([{ ...lack, sessions: 1 }]);
    expect(await workers?.alive()).toEqual([
      {
        ...{ number: expect.any(Number), host: hostname(), pid: process.pid, program: '' },
        ...{ slots: 1, busy: 0, held: 0, lacks: [lack] },
        ...{ startedAt: expect.any(String), seenAt: expect.any(String) },
      },
    ]);
    const other = storeOn(driver, space, systemClock);
    const able = new AbortController();
    const now = () => ({ program: 'other', slots: 1, busy: 0, lacks: [] });
    const announcing = other.capabilities.workers?.announce(now, able.signal);
    await expect.poll(unserved).toEqual([]);
    able.abort();
    await announcing;
    await expect.poll(unserved).toEqual([{ ...lack, sessions: 4 }]);
    await driver.query(`update hitl_worker set seen_at = now() - interval '16 s' where space = $1`, [space]);
    expect([await workers?.alive(), await unserved()]).toEqual([[], []]);
    await one.end();
    expect(await driver.query('select number from hitl_worker where space = $1', [space])).toEqual([]);
  });

  test('are not lacked where one session alone is left: others with the same are tried (F2)', async () => {
    const { store } = world();
    const bad = await ready(store);
    const good = await ready(store);
    const tried: SessionId[] = [];
    const { done, end } = worker(store, async (session) => {
      tried.push(session.id);
      if (session.id === bad) return { result: 'unknown', why: 'a call is about `/etc`', isAlone: true };
      await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
      return 'rests';
    });
    await expect.poll(() => done.length, { timeout: 10_000 }).toBe(2);
    await end();
    expect(tried).toEqual([bad, good]);
  });
});
