import { getEventListeners } from 'node:events';

import { describe, expect, test } from 'vitest';

import type { Model, Renderer, RunState, Session, SessionEvent } from '../../src/core/index.js';
import { emptyState, evolve, HitlError } from '../../src/core/index.js';
import type { EngineEvent, RunOutcome } from '../../src/engine/index.js';
import { run } from '../../src/engine/index.js';
import { converse } from '../../src/repl/index.js';
import { Recorder } from '../../src/repl/record.js';
import { scriptedChannel } from '../../src/testing/index.js';
import { answerTo, calls, deferred, scene, tool } from '../engine/drive.js';
import { ANN, AT, ended, limitReached, raised, stateAfter, userSaid } from '../helpers/events.js';
import { faultyFileSystem } from '../sessions/faulty-file-system.js';
import { temporaryStore } from '../sessions/temporary-store.js';

const FULL = new HitlError('SAVE_FAILED', 'could not save: the disk is full');

const called: SessionEvent = { type: 'model-started', attempt: 1 };

/** The event loop has gone round once. */
function endOfTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

interface Disk {
  readonly session: Session;
  /** Makes what was appended last durable, before what was appended before it. */
  readonly flushLast: () => Promise<void>;
  /** Makes everything that was appended durable, or fails it. */
  readonly flush: (error?: Error) => Promise<void>;
  /** True: nothing is written at once. */
  isLate: boolean;
}

/** A session whose flushes are up to the test. */
function slowDisk(): Disk {
  let state: RunState = emptyState();
  let version = 10;
  let waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const write = (events: readonly SessionEvent[]): void => {
    for (const event of events) state = evolve(state, event);
    version += events.length;
  };
  const disk: Disk = {
    isLate: false,
    async flushLast() {
      waiting.pop()?.resolve();
      await endOfTurn();
    },
    async flush(error) {
      const now = waiting;
      waiting = [];
      for (const { resolve, reject } of now) {
        if (error === undefined) resolve();
        else reject(error);
      }
      await endOfTurn();
    },
    session: {
      id: 'one' as Session['id'],
      mode: 'write',
      notices: [],
      get version() {
        return version;
      },
      get state() {
        return state;
      },
      async append(events) {
        if (!disk.isLate) write(events);
        await new Promise<void>((resolve, reject) => {
          waiting.push({ resolve, reject });
        });
        if (disk.isLate) write(events);
      },
      createdAt: '',
      updatedAt: '',
      lost: new AbortController().signal,
      beginWith: notHere,
      onAppended: notHere,
      answers: notHere,
      inbox: notHere,
      events: notHere,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
  };
  return disk;
}

function notHere(): never {
  throw new Error('nothing is stored');
}

/** Notes what is shown: its number, its type, and how many messages the state has by then. */
function noting(log: string[]): Renderer {
  return {
    event: ({ type }, seq, { entries, modelAttempts }) => {
      log.push(`${seq} ${type}: ${entries.length} messages, ${modelAttempts} calls`);
    },
    transient: () => undefined,
    notice: () => undefined,
    pause: () => undefined,
    stopped: () => undefined,
  };
}

/** What a promise has become by now. */
async function fateOf(promise: Promise<unknown>): Promise<string> {
  const fate = promise.then(
    () => 'resolved',
    (error: unknown) => (error instanceof Error ? error.message : 'rejected'),
  );
  return Promise.race([fate, endOfTurn().then(() => 'waiting')]);
}

describe('what was kept lazily', () => {
  test('is in the state at once, and shown when it is durable, before what came after it', async () => {
    const log: string[] = [];
    const { session, flush } = slowDisk();
    const recorder = new Recorder(session, noting(log));
    await recorder.keep([userSaid('hi')], { lazily: true });
    expect(session.state.entries).toHaveLength(1);
    const kept = recorder.keep([called]);
    expect([await fateOf(kept), await fateOf(recorder.flushed()), log]).toEqual(['waiting', 'waiting', []]);
    await flush();
    await kept;
    expect(log).toEqual(['11 message-added: 1 messages, 0 calls', '12 model-started: 1 messages, 1 calls']);
  });

  test('and could not be made durable fails what is kept after it, and whoever waits for all', async () => {
    const log: string[] = [];
    const { session, flush } = slowDisk();
    const recorder = new Recorder(session, noting(log));
    await recorder.keep([userSaid('hi')], { lazily: true });
    await flush(FULL);
    expect(await fateOf(recorder.flushed())).toBe(FULL.message);
    const { version } = session;
    const kept = recorder.keep([called]);
    await flush();
    expect([await fateOf(kept), session.version, log]).toEqual([FULL.message, version, []]);
  });

  test('is shown before what came after it, also where that is durable first', async () => {
    const log: string[] = [];
    const { session, flush, flushLast } = slowDisk();
    const recorder = new Recorder(session, noting(log));
    await recorder.keep([userSaid('hi')], { lazily: true });
    const kept = recorder.keep([called]);
    await flushLast();
    expect([await fateOf(kept), log]).toEqual(['waiting', []]);
    await flush();
    expect([await fateOf(kept), log.map((line) => line.slice(0, 2))]).toEqual(['resolved', ['11', '12']]);
  });

  test('is waited for where the session takes it up later', async () => {
    const log: string[] = [];
    const disk = slowDisk();
    disk.isLate = true;
    const kept = new Recorder(disk.session, noting(log)).keep([userSaid('hi')], { lazily: true });
    expect(await fateOf(kept)).toBe('waiting');
    await disk.flush();
    expect([await fateOf(kept), log]).toEqual(['resolved', ['11 message-added: 1 messages, 0 calls']]);
  });
});

describe('a run that is recorded', () => {
  const outcome: RunOutcome = { type: 'ended', reason: { type: 'done' }, state: emptyState() };

  test('ends when the last of it is durable', async () => {
    const { session, flush } = slowDisk();
    async function* run(): AsyncGenerator<EngineEvent, RunOutcome> {
      yield { durable: true, events: [ended()], lazily: true };
      return outcome;
    }
    const recorded = new Recorder(session, noting([])).record(run());
    expect(await fateOf(recorded)).toBe('waiting');
    await flush();
    expect(await recorded).toBe(outcome);
  });

  test('is stopped where something it kept lazily could not be saved, before more depends on it', async () => {
    const { session, flush } = slowDisk();
    const log: string[] = [];
    const hold = deferred();
    async function* run(): AsyncGenerator<EngineEvent, RunOutcome> {
      try {
        yield { durable: true, events: [userSaid('hi')], lazily: true };
        await hold.promise;
        yield { durable: true, events: [called] };
        log.push('the model is called');
      } catch (thrown) {
        log.push('stopped');
        throw thrown;
      }
      return outcome;
    }
    const recorded = new Recorder(session, noting(log)).record(run());
    expect(await fateOf(recorded)).toBe('waiting');
    await flush(FULL);
    hold.resolve();
    await endOfTurn();
    await flush();
    expect([await fateOf(recorded), log]).toEqual([FULL.message, ['stopped']]);
  });
});

test('a run whose words cannot be shown is left, and lets go of its signal', async () => {
  const { signal } = new AbortController();
  const session = await temporaryStore().create({ agent: { model: 'talks', tools: [] } });
  const model: Model = {
    id: 'talks',

    async *generate() {
      yield { type: 'text-delta', text: 'hi' };
    },
  };
  const renderer = {
    ...noting([]),
    transient: () => {
      throw new Error('the screen is gone');
    },
  };
  const events = run(stateAfter(userSaid('hi')), { ...scene(), model }, signal);
  await expect(new Recorder(session, renderer).record(events)).rejects.toThrow('the screen is gone');
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('a conversation that is cancelled behind an answer tells where the answer could not be saved (G6)', async () => {
  const { session, flush } = slowDisk();
  const limit = limitReached('turns');
  void session.append([raised(limit)]);
  await flush();
  const cancelled = deferred();
  const control = { type: 'control', id: 'c1', seq: 1, at: AT, from: ANN, verb: 'cancel' } as const;
  const nothing = { messages: [], events: [], notices: [], release: () => undefined };
  const conversed = converse(
    {
      session,
      run: scene(),
      channel: {
        ask: async () => {
          cancelled.resolve();
          await endOfTurn();
          return { type: 'answered', answer: answerTo(limit, { action: 'extend', by: 5 }) };
        },
      },
      renderer: noting([]),
      inbox: {
        waiting: () => Promise.resolve([]),
        arrived: () => new Promise(() => undefined),
        control: () => cancelled.promise.then(() => control),
        take: () => Promise.resolve(nothing),
        end: () => Promise.resolve(nothing),
      },
    },
    new AbortController().signal,
  );
  expect(await fateOf(conversed)).toBe('waiting');
  expect(await fateOf(conversed)).toBe('waiting');
  await flush(FULL);
  expect(await fateOf(conversed)).toBe(FULL.message);
});

test('a cycle of question, answer and result is durable at every step with three flushes', async () => {
  const fs = faultyFileSystem();
  const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
  await using session = await store.create({ agent: { model: 'script', tools: [] } });
  await session.append([userSaid('go')]);
  const counts: number[] = [];
  const pay = tool('pay', () => 'paid', { needsApproval: true, effect: 'once' });
  const cycles = ['r1', 'r2', 'r3', 'r4'];
  const answers = scriptedChannel(cycles.map(() => ({ action: 'restart' as const })));
  const rest = await converse(
    {
      session,
      run: scene({ replies: [...cycles.map((ref) => calls(['pay', {}, ref])), 'done'], tools: [pay] }),
      channel: {
        ask: (...asked) => {
          counts.push(fs.flushes.length);
          return answers.ask(...asked);
        },
      },
      renderer: noting([]),
    },
    new AbortController().signal,
  );
  expect(rest).toEqual({ type: 'ended', reason: { type: 'done' } });
  expect(counts.slice(1).map((count, index) => count - (counts[index] ?? 0))).toEqual([3, 3, 3]);
});
