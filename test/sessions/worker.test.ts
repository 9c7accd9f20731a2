import { randomBytes } from 'node:crypto';

import { describe, expect, onTestFinished, test, vi } from 'vitest';

import type { WorkDone, WorkerOptions } from '../../sessions/index.js';
import { createMemoryStore, runWorker } from '../../sessions/index.js';
import type { Session, SessionId, Worklist } from '../../src/core/index.js';
import {
  answerEvents,
  HitlError,
  interruptId,
  isoTime,
  makeInterrupt,
  plainAnswer,
} from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { answerOf, question } from '../../src/testing/store/store-case.js';
import { agent, confirmation, said, transferTurn } from './sample-events.js';

/** More listeners than Node takes for a leak. */
const SLOTS = 12;
const ANSWERED = transferTurn().slice(0, 4);

function world() {
  const clock = fakeClock({ start: Date.UTC(2026, 1, 1) });
  const store = createMemoryStore({ clock, random: randomBytes });
  const stop = new AbortController();
  const done: WorkDone[] = [];
  const work = (handle: WorkerOptions['handle'], slots = 1) =>
    runWorker({
      store,
      clock,
      signal: stop.signal,
      slots,
      handle,
      told: (one) => {
        done.push(one);
      },
    });
  const filled = async (events = ANSWERED): Promise<SessionId> => {
    await using session = await store.create({ agent, events });
    return session.id;
  };
  return { clock, store, stop, done, work, filled };
}

function nothing(): Promise<never> {
  return Promise.reject(new Error('nothing was claimed'));
}

async function finish(session: Session): Promise<'rests'> {
  await session.append([{ type: 'run-ended', reason: { type: 'done' } }]);
  return 'rests';
}

describe('a worker', () => {
  test('goes on with what stands still, leaves what is done, and ends with the signal', async () => {
    const { stop, done, work, filled } = world();
    await filled([said('a'), ...transferTurn().slice(1)]);
    const id = await filled();
    await work(async (session) => {
      setTimeout(() => {
        stop.abort();
      }, 5);
      return finish(session);
    });
    expect(done).toEqual([{ session: id, result: 'rests' }]);
  });

  test('keeps what is due by time also where it does not know the agent, and approves nothing by it', async () => {
    const { store, stop, done, work, filled } = world();
    const { kind, path, source, payload, raisedAt } = confirmation('i1', 'a', { amount: 200 });
    const interrupt = makeInterrupt(
      { kind, source, payload, timeoutMs: 1_000, onTimeout: { action: 'reject' } },
      { id: interruptId('i1'), path, raisedAt },
    );
    const id = await filled([...ANSWERED, { type: 'interrupt-raised', interrupt }]);
    await work(async () => {
      setTimeout(() => {
        stop.abort();
      }, 5);
      return 'unknown';
    });
    expect(done).toEqual([{ session: id, result: 'unknown' }]);
    const { state } = await store.open(id, 'read');
    expect(state.resolved.toArray().map(({ resolution, by }) => [resolution.action, by.type])).toEqual([
      ['reject', 'clock'],
    ]);
  });

  test('tries what fails again, ever later and for as long as it lives, and goes on with the others (F2)', async () => {
    const { clock, stop, done, work, filled } = world();
    const bad = await filled();
    const good = await filled();
    const tries: number[] = [];
    const working = work(async (session) => {
      if (session.id !== bad) return finish(session);
      tries.push(clock.now());
      throw new Error('poison');
    });
    await clock.untilSleeping(2);
    const from = clock.now();
    for (let seconds = 0; seconds < 1_000; seconds += 1) {
      await clock.advance(1_000);
    }
    stop.abort();
    await working;
    expect(tries.map((at) => Math.round((at - from) / 1_000))).toEqual([0, 1, 5, 21, 85, 341, 641, 941]);
    expect(done.filter(({ session }) => session === good)).toEqual([{ session: good, result: 'rests' }]);
    const failed = { session: bad, result: 'failed', error: { code: 'INTERNAL', message: 'poison' } };
    expect(done.filter(({ session }) => session === bad)).toEqual(Array(8).fill(failed));
  });

  test('leaves a session of an agent that it does not know, and looks at it again later', async () => {
    const { clock, store, stop, done, work, filled } = world();
    const id = await filled();
    const working = work(async () => 'unknown');
    await clock.untilSleeping(2);
    for (let seconds = 0; seconds < 40; seconds += 1) {
      await clock.advance(1_000);
    }
    expect(await store.isWritten(id)).toBe(false);
    stop.abort();
    await working;
    expect(done).toEqual(Array(2).fill({ session: id, result: 'unknown' }));
  });

  test('goes on with what was left while another program had the session (F1)', async () => {
    const { clock, store, stop, done, work, filled } = world();
    const id = await filled([...ANSWERED, { type: 'interrupt-raised', interrupt: question }]);
    {
      await using _chat = await store.open(id, 'write');
      expect((await store.post(id, answerOf('ann'))).type).toBe('left');
    }
    const working = work(async (session) => {
      const answer = await session.answers().take();
      if (answer === undefined) throw new Error('nothing was left');
      const used = plainAnswer(answer, { interrupt: question });
      await session.append(answerEvents(used, session.state, { at: isoTime(clock.now()) }));
      return finish(session);
    });
    await vi.waitFor(() => {
      expect(done).toEqual([{ session: id, result: 'rests' }]);
    });
    stop.abort();
    await working;
  });

  test('gives what was left, and is not taken, no more often than each five seconds (F1)', async () => {
    const { clock, store, stop, done, work, filled } = world();
    const id = await filled([...ANSWERED, { type: 'interrupt-raised', interrupt: question }]);
    {
      await using _chat = await store.open(id, 'write');
      await store.post(id, answerOf('ann'));
    }
    const working = work(async () => 'rests');
    await clock.untilSleeping(2);
    for (let seconds = 0; seconds < 20; seconds += 1) await clock.advance(1_000);
    stop.abort();
    await working;
    expect(done).toEqual(Array(5).fill({ session: id, result: 'rests' }));
  });

  test('with many slots listens to its signals without a warning of Node (soak)', async () => {
    const { stop, done, work, filled } = world();
    const warnings: Error[] = [];
    const warned = (warning: Error): void => {
      warnings.push(warning);
    };
    process.on('warning', warned);
    onTestFinished(() => {
      process.off('warning', warned);
    });
    const ids = [];
    for (let made = 0; made < SLOTS; made += 1) ids.push(await filled());
    let running = 0;
    await work(async (session) => {
      running += 1;
      if (running === SLOTS)
        setTimeout(() => {
          stop.abort();
        }, 5);
      await new Promise((resolve) => void setTimeout(resolve, 50));
      return finish(session);
    }, SLOTS);
    expect([done.length, warnings]).toEqual([SLOTS, []]);
  });

  test('ends where no look at the store comes to an end for two minutes: whoever keeps it running starts another (F4)', async () => {
    const { clock, store, stop } = world();
    const still: Worklist = {
      ...{ rest: nothing, postpone: nothing, leave: nothing },
      claim: () => new Promise(() => undefined),
      failing: async function* () {},
    };
    const standing = new Proxy(store, {
      get: (target, key, receiver): unknown =>
        key === 'capabilities'
          ? { ...store.capabilities, worklist: still }
          : Reflect.get(target, key, receiver),
    });
    const working = runWorker({ store: standing, clock, signal: stop.signal, handle: async () => 'rests' });
    const ended = working.then(
      () => 'ended',
      (thrown: unknown) => thrown,
    );
    await clock.untilSleeping();
    await clock.advance(124_000);
    expect(await Promise.race([ended, Promise.resolve('works')])).toBe('works');
    await clock.advance(1_000);
    expect(await ended).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: 'the worker is stuck: no store check has finished for 120 s',
    });
  });

  test.each([
    { code: 'SESSION_NEWER', why: 'is newer than it knows (F8, R10)' },
    { code: 'BAD_CONFIG', why: 'cannot be used as it is set up' },
  ] as const)('takes nothing more from a store that $why, and ends when what runs has', async ({ code }) => {
    const { clock, store, stop, filled } = world();
    const id = await filled();
    const newer = new HitlError(code, 'the tables are newer');
    let looks = 0;
    const ageing: Worklist = {
      ...{ rest: async () => true, postpone: nothing, leave: nothing },
      claim: async () => {
        looks += 1;
        if (looks > 1) throw newer;
        return store.open(id, 'write');
      },
      failing: async function* () {},
    };
    const aged = new Proxy(store, {
      get: (target, key, receiver): unknown =>
        key === 'capabilities'
          ? { ...store.capabilities, worklist: ageing }
          : Reflect.get(target, key, receiver),
    });
    const heard: unknown[] = [];
    const done: WorkDone[] = [];
    const working = runWorker({
      ...{ store: aged, clock, signal: stop.signal, slots: 2 },
      handle: async (session) => {
        await vi.waitFor(() => {
          expect(heard).toEqual([newer]); // it goes on while nothing more is taken
        });
        return finish(session);
      },
      told: (one) => void done.push(one),
      failed: (thrown) => void heard.push(thrown),
    });
    await expect(working).rejects.toBe(newer);
    expect([done, looks]).toEqual([[{ session: id, result: 'rests' }], 2]);
  });

  test('has as many at the same time as it has slots, and waits for them when it ends', async () => {
    const { stop, done, work, filled } = world();
    const ids = [await filled(), await filled(), await filled()];
    let most = 0;
    let now = 0;
    const working = work(async (_session, signal) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          setTimeout(resolve, 5);
        });
      });
      now -= 1;
      return 'rests';
    }, 2);
    await vi.waitFor(() => {
      expect(now).toBe(2);
    });
    stop.abort();
    await working;
    expect([most, now, ids.length]).toEqual([2, 0, 3]);
    expect(done.map(({ result }) => result)).toEqual(['left', 'left']);
  });
});
