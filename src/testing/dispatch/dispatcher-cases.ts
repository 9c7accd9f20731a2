import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

import type { Dispatcher, SessionId } from '../../core/index.js';

/** A dispatcher under test. At first, no session has been woken. */
export interface DispatcherUnderTest {
  readonly dispatcher: Dispatcher;
  /** Returns the ID of a due session that has not yet been woken. */
  readonly session: () => Promise<SessionId>;
}

/** A test case for one guarantee of the `Dispatcher` port. */
export interface DispatcherCase {
  /** A whole sentence. */
  readonly title: string;
  /** @throws AssertionError if the guarantee is broken */
  run(tested: DispatcherUnderTest): Promise<void>;
}

type Handle = Parameters<Dispatcher['work']>[0];

/** Workers that are stopped when their test case ends, even if it fails. */
class Workers implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #working: Promise<void>[] = [];

  begin(dispatcher: Dispatcher, handle: Handle): void {
    this.#working.push(dispatcher.work(handle, this.#stop.signal));
  }

  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#working);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

/** Waits until a condition is true. The time limit is long enough for any dispatcher. */
async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000; tries += 1) {
    if (isSo()) return;
    await pause(10);
  }
  assert.fail(`within 30 s: ${what}`);
}

/**
 * Test cases for the guarantees of a dispatcher. Run them with `for (const { title, run } of dispatcherCases)
 * test(title, () => run(mine()))`.
 */
export const dispatcherCases: readonly DispatcherCase[] = [
  {
    title: 'a woken session is handed to a worker',
    async run({ dispatcher, session }) {
      const id = await session();
      const seen: SessionId[] = [];
      await using workers = new Workers();
      workers.begin(dispatcher, async (woken) => void seen.push(woken));
      await dispatcher.wake(id);
      await until('the session is handed to a worker', () => seen.includes(id));
      assert.deepEqual(new Set(seen), new Set([id]));
    },
  },
  {
    title: 'a wake is kept until a worker is available',
    async run({ dispatcher, session }) {
      const ids = [await session(), await session()];
      await using workers = new Workers();
      const first = new Workers();
      first.begin(dispatcher, () => Promise.resolve());
      await pause(50);
      await first.end();
      for (const id of ids) await dispatcher.wake(id);
      const seen = new Set<SessionId>();
      workers.begin(dispatcher, async (woken) => void seen.add(woken));
      await until('both sessions are handed to a worker', () => ids.every((id) => seen.has(id)));
    },
  },
  {
    title: 'a session woken for a later time is not handed over before that time',
    async run({ dispatcher, session }) {
      const id = await session();
      const at = Date.now() + 700;
      const seen: number[] = [];
      await using workers = new Workers();
      workers.begin(dispatcher, async () => void seen.push(Date.now()));
      await dispatcher.wake(id, at);
      await until('the session is handed to a worker', () => seen.length > 0);
      assert.ok((seen[0] ?? 0) >= at - 20, `${at - (seen[0] ?? 0)} ms too early`);
    },
  },
  {
    title: 'a session belongs to one worker at a time, and a wake that arrives in the meantime is not lost',
    async run({ dispatcher, session }) {
      const id = await session();
      let now = 0;
      let most = 0;
      let began = 0;
      let isFree = false;
      const handle: Handle = async () => {
        began += 1;
        now += 1;
        most = Math.max(most, now);
        while (!isFree) await pause(5);
        now -= 1;
      };
      await using workers = new Workers();
      workers.begin(dispatcher, handle);
      await dispatcher.wake(id);
      await until('the session is handed to a worker', () => began === 1);
      await dispatcher.wake(id);
      await dispatcher.wake(id);
      await pause(200);
      assert.equal(began, 1);
      isFree = true;
      await until('the session is handed over again', () => began >= 2);
      assert.equal(most, 1);
    },
  },
  {
    title: 'a session whose handler fails is handed over again and does not block others',
    async run({ dispatcher, session }) {
      const [bad, good] = [await session(), await session()];
      const seen: SessionId[] = [];
      await using workers = new Workers();
      workers.begin(dispatcher, async (id) => {
        seen.push(id);
        if (id === bad && seen.filter((one) => one === bad).length < 3) throw new Error('it broke');
      });
      await dispatcher.wake(bad);
      await dispatcher.wake(good);
      await until('the other one', () => seen.includes(good));
      await until('a third try', () => seen.filter((one) => one === bad).length === 3);
    },
  },
  {
    title:
      'a stopping worker waits for its running sessions, and those that it cuts short go to the next worker',
    async run({ dispatcher, session }) {
      const id = await session();
      let state: 'none' | 'running' | 'ended' = 'none';
      const first = new Workers();
      first.begin(dispatcher, async (_id, signal) => {
        state = 'running';
        while (!signal.aborted) await pause(5);
        await pause(50);
        state = 'ended';
      });
      await dispatcher.wake(id);
      await until('the session is handed to a worker', () => state === 'running');
      await first.end();
      assert.equal(state, 'ended');
      const seen: SessionId[] = [];
      await using workers = new Workers();
      workers.begin(dispatcher, async (woken) => void seen.push(woken));
      await until('the next one', () => seen.includes(id));
    },
  },
];
