import { getEventListeners } from 'node:events';
import { setImmediate } from 'node:timers/promises';

import { describe, expect, onTestFinished, test } from 'vitest';

import type { SqlDriver } from '../../sessions/postgres/index.js';
import type { SeenSession, SessionChange, SessionChanges } from '../../sessions/postgres/watch-rows.js';
import { Bell, DUE } from '../../sessions/postgres/bell.js';
import { watchRows } from '../../sessions/postgres/watch-rows.js';
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

/** A watch on changes that the test makes, with what it told and what it asked for. */
async function watching() {
  const clock = fakeClock({ start: START });
  const { driver, tell } = connection();
  const changes: SessionChange[] = [];
  const writtenLately: string[] = [];
  const asked: string[] = [];
  const told: string[] = [];
  const failures: HitlError[] = [];
  const rows: SessionChanges = {
    since: (mark) => {
      asked.push(`since ${mark ?? 'now'}`);
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      const seen = mark === undefined ? changes.length : Number(mark);
      return Promise.resolve({ mark: String(changes.length), changes: changes.slice(seen) });
    },
    async *writtenSince(at) {
      asked.push(`written since ${at.slice(11, 19)}`);
      yield* writtenLately.map((id) => checkSessionId(id));
    },
  };
  const stop = new AbortController();
  const ear = new Bell(() => Promise.resolve(driver)).ear((notice) => notice !== DUE);
  const over = (async () => {
    for await (const { session, what } of watchRows(rows, ear, clock, stop.signal))
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
  const put = (id: string, before?: SeenSession, after?: SeenSession): void => {
    changes.push({ session: checkSessionId(id), ...(before && { before }), ...(after && { after }) });
  };
  return { asked, told, failures, writtenLately, hear, pass, put };
}

/** A session that changed that many seconds behind the start. */
function seen(seconds: number, more: Partial<SeenSession> = {}): SeenSession {
  return { waiting: 0, status: 'done', updatedAt: isoTime(START + seconds * 1000), ...more };
}

const ASKS = { waiting: 1, status: 'waiting' } as const;

/** What a signal keeps of those who waited for it: their listeners, and signals that were made of it. */
function keptBy(signal: AbortSignal): number {
  const made = Object.getOwnPropertySymbols(signal)
    .filter(({ description }) => description === 'kDependantSignals')
    .map((key) => (Reflect.get(signal, key) as { readonly size: number }).size);
  return [getEventListeners(signal, 'abort').length, ...made].reduce((sum, count) => sum + count, 0);
}

describe('an ear', () => {
  test('leaves nothing with the signal of a process that waits again and again', async () => {
    const clock = fakeClock();
    const { driver, tell } = connection();
    const { signal } = new AbortController();
    using ear = new Bell(() => Promise.resolve(driver)).ear(() => true);
    for (let time = 0; time < 20; time += 1) {
      const waiting = ear.rung(clock, 1_000, signal);
      await clock.untilSleeping();
      if (time % 2 === 0) await clock.advance(1_000);
      else tell(DUE);
      await waiting;
      ear.taken();
    }
    expect(keptBy(signal)).toBe(0);
  });

  test('hears that the signal aborts, and that it has', async () => {
    const clock = fakeClock();
    const { driver } = connection();
    const stop = new AbortController();
    using ear = new Bell(() => Promise.resolve(driver)).ear(() => true);
    const waiting = ear.rung(clock, 1_000, stop.signal);
    await clock.untilSleeping();
    stop.abort();
    await waiting;
    await ear.rung(clock, 1_000, stop.signal);
    expect(keptBy(stop.signal)).toBe(0);
  });
});

describe('a watch on a database', () => {
  test('reads what changed since the last look, and nothing that was there', async () => {
    const { asked, put, pass } = await watching();
    put('a', undefined, seen(0));
    put('a', seen(0), seen(1));
    await pass(2);
    expect(asked).toEqual(['since now', 'since 0', 'since 2']);
  });

  test('tells what is made, asked, answered, ended, changed and removed, each once', async () => {
    const { told, pass, put } = await watching();
    put('a', seen(-9), seen(1, ASKS));
    put('b', seen(-9, ASKS), seen(1, { status: 'interrupted' }));
    put('c', undefined, seen(1));
    await pass(2);
    put('b', seen(1, { status: 'interrupted' }), seen(3));
    put('c', seen(1), seen(3));
    put('a', seen(1, ASKS));
    await pass(2);
    expect(told).toEqual(['a raised', 'b answered', 'c created', 'b ended', 'c changed', 'a removed']);
  });

  test('tells what happened between two looks as one change, and nothing of what came and went', async () => {
    const { told, pass, put } = await watching();
    put('a', undefined, seen(0, { status: 'running' }));
    put('b', undefined, seen(0));
    put('a', seen(0, { status: 'running' }), seen(1, ASKS));
    put('b', seen(0));
    put('c', seen(0, { status: 'interrupted' }), seen(0, { status: 'running' }));
    put('c', seen(0, { status: 'running' }), seen(0, { status: 'interrupted' }));
    await pass(1);
    expect(told).toEqual(['a raised']);
  });

  test('looks at once where it hears of a session', async () => {
    const { told, hear, put } = await watching();
    put('b', seen(0), seen(1, ASKS));
    await hear('b');
    expect(told).toEqual(['b raised']);
  });

  test('forgets nothing that it could not read', async () => {
    const { asked, told, failures, pass, put } = await watching();
    failures.push(new HitlError('STORE_UNAVAILABLE', 'could not read the sessions'));
    put('a', seen(-90), seen(-80, ASKS));
    await pass(2);
    expect(told).toEqual(['a raised']);
    expect(asked).toEqual(['since now', 'since 0', 'since 0']);
  });

  test('tells what was written since where it could not look for longer than changes are kept', async () => {
    const { asked, told, failures, writtenLately, pass } = await watching();
    const away = new HitlError('STORE_UNAVAILABLE', 'could not read the sessions');
    failures.push(...Array.from({ length: 600 }, () => away));
    writtenLately.push('b', 'a');
    await pass(602);
    expect(told).toEqual(['b changed', 'a changed']);
    expect(asked.slice(601)).toEqual(['since 0', 'written since 11:59:30', 'since 0']);
  });

  test('hears nothing of what is due: that is for workers', async () => {
    const { asked, hear } = await watching();
    await hear(DUE);
    expect(asked).toEqual(['since now']);
  });
});
