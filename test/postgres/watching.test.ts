import { setImmediate } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import type { SeenSession, SessionRows } from '../../sessions/postgres/watching/index.js';
import { Bell, DUE, watchRows } from '../../sessions/postgres/watching/index.js';
import { checkSessionId, HitlError, isoTime } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';

const START = Date.UTC(2026, 1, 1, 12);

/** A connection that hears what the test says, until the test cuts it. */
function connection() {
  let tell: (notice: string) => void = () => undefined;
  let cut: () => void = () => undefined;
  const driver: SqlDriver = {
    query: () => Promise.reject(new Error('nothing is asked')),
    transaction: () => Promise.reject(new Error('nothing is asked')),
    listen: (_channel, heard, lost = () => undefined) => {
      tell = heard;
      cut = () => {
        tell = () => undefined;
        lost();
      };
      return Promise.resolve(() => undefined);
    },
    close: () => Promise.resolve(),
  };
  return {
    driver,
    tell: (notice: string) => {
      tell(notice);
    },
    cut: () => {
      cut();
    },
  };
}

/** A watch on rows that the test changes, with what it told and what it asked for. */
async function watching(...first: readonly SeenSession[]) {
  const clock = fakeClock({ start: START });
  const { driver, tell, cut } = connection();
  const rows = new Map(first.map((row) => [row.id, row]));
  const asked: string[] = [];
  const told: string[] = [];
  const failures: HitlError[] = [];
  const look = (what: string): readonly SeenSession[] => {
    asked.push(what);
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    return [...rows.values()];
  };
  const seen: SessionRows = {
    async *all() {
      yield* look('all');
    },
    since: async (at, ids) =>
      look(['since', at.slice(11, 19), ...ids].join(' ')).filter(
        ({ id, updatedAt }) => updatedAt >= at || ids.includes(id),
      ),
  };
  const stop = new AbortController();
  const ear = new Bell(() => Promise.resolve(driver)).ear((notice) => notice !== DUE);
  const over = (async () => {
    for await (const { session, what } of watchRows(seen, ear, clock, stop.signal))
      told.push(`${session} ${what}`);
  })();
  onTestFinished(async () => {
    stop.abort();
    await over;
  });
  await clock.untilSleeping();
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      await clock.advance(1000);
      await clock.untilSleeping();
    }
  };
  /** A notice, and the moment in which it leads to a look. */
  const hear = async (notice: string): Promise<void> => {
    tell(notice);
    await setImmediate();
    await clock.advance(50);
  };
  const put = (...changed: readonly SeenSession[]): void => {
    for (const row of changed) rows.set(row.id, row);
  };
  return { rows, asked, told, failures, hear, cut, pass, put };
}

/** A row that changed that many seconds behind the start. */
function row(id: string, seconds: number, more: Partial<SeenSession> = {}): SeenSession {
  const updatedAt = isoTime(START + seconds * 1000);
  return { id: checkSessionId(id), waiting: 0, status: 'done', updatedAt, ...more };
}

describe('a watch on a database', () => {
  test('reads what changed and what is being written, and not all that is there', async () => {
    const { asked, pass } = await watching(
      row('old', -3600),
      row('held', -60, { status: 'running' }),
      row('new', -5),
    );
    await pass(2);
    expect(asked).toEqual(['all', 'since 11:59:25 held', 'since 11:59:25 held']);
  });

  test('tells what is made, asked, answered, ended and changed, each once', async () => {
    const { told, pass, put } = await watching(row('a', -9), row('b', -9, { waiting: 1, status: 'waiting' }));
    put(row('a', 1, { waiting: 1, status: 'waiting' }), row('b', 1, { status: 'interrupted' }), row('c', 1));
    await pass(2);
    put(row('b', 3, { status: 'done' }), row('c', 3));
    await pass(2);
    expect(told).toEqual(['a raised', 'b answered', 'c created', 'b ended', 'c changed']);
  });

  test('tells the end of a lease, which changes no moment of its session', async () => {
    const { told, rows, pass, put } = await watching(row('a', -3600, { status: 'running' }), row('b', 0));
    put(row('a', -3600));
    await pass(2);
    expect([told, rows.size]).toEqual([['a ended'], 2]);
  });

  test('looks at once at a session of which it hears, also where the clock of its machine is an hour behind', async () => {
    const { told, hear, put } = await watching(row('a', 0), row('b', -9000));
    put(row('b', -3600, { waiting: 1, status: 'waiting' }));
    await hear('b');
    expect(told).toEqual(['b raised']);
  });

  test('is not kept from others by a machine whose clock is an hour ahead', async () => {
    const { told, pass, put } = await watching(row('ahead', 3600));
    put(row('a', 1));
    await pass(1);
    expect(told).toEqual(['a created']);
  });

  test('tells at once of a session that is removed where it hears of it, and within a minute where it does not', async () => {
    const { told, rows, hear, pass } = await watching(row('a', -90), row('b', -90), row('c', 0));
    rows.delete(checkSessionId('a'));
    rows.delete(checkSessionId('b'));
    await hear('a');
    expect(told).toEqual(['a removed']);
    await pass(61);
    expect(told).toEqual(['a removed', 'b removed']);
  });

  test('looks at all once the connection that was lost is there again', async () => {
    const { asked, told, rows, cut, pass } = await watching(row('a', -90), row('b', 0));
    cut();
    rows.delete(checkSessionId('a'));
    await pass(3);
    expect(told).toEqual(['a removed']);
    expect(asked.filter((what) => what === 'all')).toHaveLength(2);
  });

  test('forgets nothing that it could not read', async () => {
    const { asked, told, failures, pass, put } = await watching(row('a', -90), row('b', 0));
    failures.push(new HitlError('SESSION_UNREADABLE', 'could not read the sessions'));
    put(row('a', -80, { waiting: 1, status: 'waiting' }));
    await pass(3);
    expect(told).toEqual(['a raised']);
    expect(asked.map((what) => what.slice(0, 5))).toEqual(['all', 'since', 'all', 'since']);
  });

  test('hears nothing of what is due: that is for workers', async () => {
    const { asked, hear } = await watching(row('a', 0));
    await hear(DUE);
    expect(asked).toEqual(['all']);
  });
});
