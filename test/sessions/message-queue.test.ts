import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { newSessionId } from '../../sessions/index.js';
import type { FileStore } from '../../sessions/index.js';
import type {
  Actor,
  MessagePriority,
  Resolution,
  SendOptions,
  SessionId,
  SessionMail,
} from '../../src/core/index.js';
import { ROOT_PATH } from '../../src/core/index.js';
import { ANN } from '../helpers/events.js';
import { faultyFileSystem } from './faulty-file-system.js';
import { agent, approved, confirmation, transferTurn } from './sample-events.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

const HERE = { phase: 'turn', path: ROOT_PATH } as const;

function soon(): AbortSignal {
  return AbortSignal.timeout(60_000);
}

async function newSession(store: FileStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  return session.id;
}

async function newQueue(store = temporaryStore()): Promise<SessionMail> {
  return store.mail(await newSession(store));
}

interface Sending extends SendOptions {
  readonly priority?: MessagePriority;
  readonly action?: Resolution;
  readonly id?: string;
  readonly expiresAt?: string;
  readonly target?: string;
}

async function send(
  queue: SessionMail,
  text: string,
  { maxQueue, overflow, allowedActions, ...draft }: Sending = {},
) {
  const options = {
    ...(maxQueue !== undefined && { maxQueue }),
    ...(overflow !== undefined && { overflow }),
    ...(allowedActions !== undefined && { allowedActions }),
  };
  return queue.send({ text, from: ANN, ...draft }, options, soon());
}

async function sendAll(queue: SessionMail, count: number, sending: Sending = {}): Promise<void> {
  for (let number = 1; number <= count; number += 1)
    await send(queue, `m${number}`, { maxQueue: 1000, ...sending });
}

function texts(items: readonly { readonly text: string }[]): readonly string[] {
  return items.map(({ text }) => text);
}

/** Delivers all that waits, a few at a time. */
async function consume(store: FileStore, id: SessionId, most: number): Promise<readonly string[]> {
  await using session = await store.open(id, 'write');
  let left = most;
  const taken = await session.inbox().take(HERE, soon(), { isLast: () => (left -= 1) === 0 });
  await session.append(taken.events);
  taken.release();
  return texts(taken.messages);
}

describe('the queue of a session', () => {
  test('delivers by priority, then in the order of sending (case 70, Q-3)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const queue = store.mail(id);
    for (const [text, priority] of [
      ['a', 'low'],
      ['b', 'normal'],
      ['c', 'urgent'],
      ['d', 'normal'],
    ] as const)
      await send(queue, text, { priority });
    expect(texts((await queue.list()).items)).toEqual(['c', 'b', 'd', 'a']);
    expect(await consume(store, id, 9)).toEqual(['c', 'b', 'd', 'a']);
    expect(await queue.list()).toEqual({ items: [], total: 0, page: 1, pageSize: 50, hasNext: false });
  });

  test('refuses the 101st message, and still takes verbs (case 71, Q-3, Q-5)', async () => {
    const queue = await newQueue();
    await sendAll(queue, 100);
    await expect(send(queue, 'one more')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      detail: { depth: 100, capacity: 100 },
    });
    for (const verb of ['pause', 'resume', 'cancel'] as const)
      expect(await queue.control({ verb, from: ANN }, soon())).toMatchObject({ isNew: true, depth: 100 });
    expect(await queue.metrics()).toMatchObject({
      queued: 100,
      rejected: 1,
      cancels: 1,
      depth: 100,
      maxDepth: 100,
    });
  });

  test('puts out the newest of the lowest priority where that is lower, on demand (Q-4)', async () => {
    const queue = await newQueue();
    const full = { maxQueue: 3, overflow: 'drop-lowest' } as const;
    for (const [text, priority] of [
      ['a', 'low'],
      ['b', 'low'],
      ['c', 'normal'],
    ] as const)
      await send(queue, text, { ...full, priority, id: text });
    expect(await send(queue, 'd', { ...full, priority: 'normal' })).toMatchObject({ evicted: 'b', depth: 3 });
    expect(await send(queue, 'e', { ...full, priority: 'urgent' })).toMatchObject({ evicted: 'a' });
    await expect(send(queue, 'f', { ...full, priority: 'normal' })).rejects.toMatchObject({
      code: 'QUEUE_FULL',
    });
    expect(texts((await queue.list()).items)).toEqual(['e', 'c', 'd']);
    expect(await queue.metrics()).toMatchObject({
      queued: 5,
      dropped: 2,
      rejected: 1,
      depth: 3,
      maxDepth: 3,
    });
  });

  test('waits for room, on demand (Q-4)', async () => {
    const store = temporaryStore({ clock: { now: () => Date.now(), sleep: longSleep } });
    const id = await newSession(store);
    const queue = store.mail(id);
    await send(queue, 'first', { maxQueue: 1 });
    const second = send(queue, 'second', { maxQueue: 1, overflow: { waitMs: 3_600_000 } });
    expect(await consume(store, id, 1)).toEqual(['first']);
    expect(await second).toMatchObject({ isNew: true, depth: 1 });
  });

  test('refuses at once after a wait of 0, and after the wait (Q-4)', async () => {
    const queue = await newQueue();
    await send(queue, 'first', { maxQueue: 1 });
    for (const waitMs of [0, 3000])
      await expect(send(queue, 'second', { maxQueue: 1, overflow: { waitMs } })).rejects.toMatchObject({
        code: 'QUEUE_FULL',
      });
    expect(await queue.metrics()).toMatchObject({ queued: 1, rejected: 2 });
  });

  test('stops waiting for room when it is called off', async () => {
    const store = temporaryStore({ clock: { now: () => Date.now(), sleep: longSleep } });
    const queue = await newQueue(store);
    await send(queue, 'first', { maxQueue: 1 });
    const stop = new AbortController();
    const options = { maxQueue: 1, overflow: { waitMs: 3_600_000 } };
    const second = queue.send({ text: 'second', from: ANN }, options, stop.signal);
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect((await queue.metrics()).depth).toBe(1);
  });

  test('accepts a message once for each id (G18)', async () => {
    const queue = await newQueue();
    const first = await send(queue, 'once', { id: 'mine' });
    expect(first).toEqual({ id: 'mine', seq: 1, depth: 1, isNew: true });
    expect(await send(queue, 'once', { id: 'mine' })).toEqual({ ...first, isNew: false });
    await expect(send(queue, 'something else', { id: 'mine' })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      detail: { problem: 'id-used' },
    });
    expect(await queue.metrics()).toMatchObject({ queued: 1, depth: 1 });
  });

  test('accepts a message once for each id also after it was delivered (G18)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    await send(store.mail(id), 'once', { id: 'mine' });
    expect(await consume(store, id, 1)).toEqual(['once']);
    expect(await send(store.mail(id), 'once', { id: 'mine' })).toMatchObject({ isNew: false, depth: 0 });
    expect(await consume(store, id, 1)).toEqual([]);
  });

  test('says nothing new where the same verb waits already (Q-5)', async () => {
    const queue = await newQueue();
    const first = await queue.control({ verb: 'pause', from: ANN }, soon());
    expect(await queue.control({ verb: 'pause', from: ANN }, soon())).toEqual({ ...first, isNew: false });
    expect(await queue.control({ verb: 'resume', from: ANN }, soon())).toMatchObject({ seq: 2, isNew: true });
  });

  test('takes back what was not delivered, and then does not deliver it', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const queue = store.mail(id);
    await sendAll(queue, 4);
    const { items } = await queue.list();
    expect(await queue.withdraw([items[1]!.id, 'unknown'], soon())).toEqual([items[1]!.id]);
    expect(await consume(store, id, 1)).toEqual(['m1']);
    expect(await queue.withdraw('all', soon())).toEqual([items[2]!.id, items[3]!.id]);
    expect(await queue.withdraw('all', soon())).toEqual([]);
    expect(await consume(store, id, 9)).toEqual([]);
    expect(await queue.metrics()).toMatchObject({ queued: 4, delivered: 1, dropped: 3, depth: 0 });
  });

  test('counts (case 80, Q-14)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const queue = store.mail(id);
    expect(await queue.metrics()).toMatchObject({ queued: 0, depth: 0, waitMs: { total: 0, last: 0 } });
    expect(await queue.metrics()).not.toHaveProperty('createdAt');
    await sendAll(queue, 3);
    await queue.withdraw([(await queue.list()).items[2]!.id], soon());
    await queue.control({ verb: 'pause', from: ANN }, soon());
    await queue.control({ verb: 'resume', from: ANN }, soon());
    await queue.control({ verb: 'pause', from: ANN }, soon());
    const metrics = await queue.metrics();
    expect(metrics).toEqual({
      queued: 3,
      delivered: 0,
      dropped: 1,
      expired: 0,
      rejected: 0,
      refused: 0,
      pauses: 2,
      resumes: 1,
      cancels: 0,
      depth: 2,
      maxDepth: 3,
      waitMs: { total: 0, last: 0 },
      createdAt: expect.any(String),
      lastActivityAt: expect.any(String),
    });
    Object.assign(metrics, { queued: 99, depth: 99 });
    Object.assign(metrics.waitMs, { total: 99 });
    expect(await queue.metrics()).toMatchObject({ queued: 3, depth: 2, waitMs: { total: 0 } });
  });

  test('knows how long people kept the session waiting (Q-14)', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    const interrupt = confirmation('i1', 'a', { amount: 200 });
    await session.append([...transferTurn().slice(0, 5), approved(interrupt)]);
    expect((await store.mail(session.id).metrics()).waitMs).toEqual({ total: 54_000, last: 54_000 });
  });

  test('is the same for every process, and after each', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    await sendAll(store.mail(id), 3);
    expect(texts((await store.mail(id).list()).items)).toEqual(['m1', 'm2', 'm3']);
    expect(await store.mail(id).metrics()).toEqual(await store.mail(id).metrics());
  });

  test('leaves out what has expired', async () => {
    const clock = tickingClock();
    const store = temporaryStore({ clock });
    const queue = await newQueue(store);
    await send(queue, 'late', { expiresAt: new Date(clock.now() + 1000).toISOString() });
    await send(queue, 'still good', { expiresAt: new Date(clock.now() + 3_600_000).toISOString() });
    expect(texts((await queue.list()).items)).toEqual(['still good']);
    expect(await queue.metrics()).toMatchObject({ queued: 2, expired: 1, depth: 1 });
  });
});

describe('a look at the queue', () => {
  test('loses, doubles and reorders nothing while messages are delivered (case 72, Q-8)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const queue = store.mail(id);
    await sendAll(queue, 120);
    const before = await queue.metrics();
    const first = await queue.list({ pageSize: 50 });
    expect(await consume(store, id, 30)).toHaveLength(30);
    await send(queue, 'pushes in', { maxQueue: 1000, priority: 'urgent' });
    const second = await queue.list({ pageSize: 50, after: first.next! });
    const third = await queue.list({ pageSize: 50, after: second.next! });
    const seen = [...first.items, ...second.items, ...third.items];
    expect(texts(seen)).toEqual(Array.from({ length: 120 }, (_, index) => `m${index + 1}`));
    expect(third).toMatchObject({ hasNext: false, total: 91 });
    expect(third).not.toHaveProperty('next');
    expect(before).toMatchObject({ depth: 120 });
  });

  test('changes neither depth nor order nor the time of the last activity (case 72, Q-8)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const queue = store.mail(id);
    await sendAll(queue, 120);
    const before = await queue.metrics();
    expect(texts((await queue.list({ page: 2, pageSize: 50 })).items)[0]).toBe('m51');
    expect(await queue.metrics()).toEqual(before);
    expect((await consume(store, id, 200)).length).toBe(120);
  });

  test('takes the nearest page and size (case 73, Q-8)', async () => {
    const queue = await newQueue();
    await sendAll(queue, 3);
    expect(await queue.list({ pageSize: 5000 })).toMatchObject({ pageSize: 1000, total: 3 });
    expect(await queue.list({ page: 0, pageSize: 2 })).toMatchObject({ page: 1, hasNext: true });
    expect(await queue.list({ page: 2.7, pageSize: 2 })).toMatchObject({ page: 2, hasNext: false });
    expect(await queue.list({ page: 99 })).toEqual({
      items: [],
      total: 3,
      page: 99,
      pageSize: 50,
      hasNext: false,
    });
    expect(await queue.list({ page: Number.NaN, pageSize: 0 })).toMatchObject({ page: 1, pageSize: 1 });
  });

  test('refuses a place that is none', async () => {
    const queue = await newQueue();
    for (const after of ['', 'x', '3.1', '1.0', '1.-1'])
      await expect(queue.list({ after })).rejects.toThrow('is not a valid cursor');
  });
});

describe('a message', () => {
  const big: Resolution = { action: 'update-state', patch: { text: 'x'.repeat(100_001) } };
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const circular = { action: 'update-state', patch: circle } as unknown as Resolution;
  const bigint = { action: 'update-state', patch: { n: 1n } } as unknown as Resolution;
  const deep = { action: 'edit-output', value: JSON.parse(`${'['.repeat(80)}${']'.repeat(80)}`) } as const;

  test.for([
    ['without text', { text: ' \n' }, 'empty'],
    ['with too long a text', { text: 'x'.repeat(10_001) }, 'too-long'],
    ['with too large an action (case 74)', { action: big }, 'too-large'],
    ['with an action that refers to itself (case 74)', { action: circular }, 'not-json'],
    ['with an action that is no JSON (case 74)', { action: bigint }, 'not-json'],
    ['with too deep an action', { action: deep }, 'too-deep'],
    ['that approves a call of a tool (N-2)', { action: { action: 'restart' } }, 'action'],
    ['with an unknown action (I-23)', { action: { action: 'explode' } as unknown as Resolution }, 'action'],
    [
      'with an unknown action inside of a sequence',
      { action: { action: 'sequence', actions: [{ action: 'skip' }, { action: 'retry' }] } },
      'action',
    ],
    ['with an id that is none', { id: 'a b' }, 'id'],
    ['with an empty target', { target: '' }, 'target'],
    ['that expires at no moment', { expiresAt: 'soon' }, 'expires-at'],
  ] as const)('%s is refused (Q-6)', async ([, draft, problem]) => {
    const queue = await newQueue();
    const sent = queue.send({ text: 'go', from: ANN, ...draft }, {}, soon());
    await expect(sent).rejects.toMatchObject({ code: 'BAD_INPUT', detail: { problem } });
    expect(await queue.metrics()).toMatchObject({ queued: 0, depth: 0 });
  });

  test('may be as large as is allowed (Q-6)', async () => {
    const queue = await newQueue();
    const action = { action: 'update-state', patch: { text: 'x'.repeat(99_900) } } as const;
    await send(queue, 'x'.repeat(10_000), { action });
    expect((await queue.list()).items[0]).toMatchObject({ action });
  });

  test('asks for nothing where nothing is allowed (Q-6)', async () => {
    const queue = await newQueue();
    const sent = send(queue, 'go', { action: { action: 'skip' }, allowedActions: [] });
    await expect(sent).rejects.toMatchObject({ code: 'BAD_INPUT', hint: 'no actions are allowed' });
    expect(await send(queue, 'only words', { allowedActions: [] })).toMatchObject({ isNew: true });
  });

  test('is kept as it was sent (Q-2)', async () => {
    const queue = await newQueue();
    const from: Actor = { type: 'script', name: 'nightly', via: 'flag' };
    const draft = {
      id: 'mine',
      text: 'half a pair: \uD800',
      from,
      action: { action: 'go-back', steps: 2 },
      priority: 'urgent',
      target: 'review@2',
      expiresAt: '2999-01-01T00:00:00.000Z',
    } as const;
    await queue.send(draft, {}, soon());
    expect((await queue.list()).items).toEqual([
      { ...draft, type: 'message', text: 'half a pair: \uFFFD', seq: 1, at: expect.any(String) },
    ]);
  });

  test('for a session that is not there is an error (case 75, Q-7)', async () => {
    const queue = temporaryStore().mail(newSessionId(0, () => new Uint8Array(6)));
    await expect(send(queue, 'hello')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await expect(queue.control({ verb: 'cancel', from: ANN }, soon())).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    await expect(queue.list()).rejects.toThrow();
    expect(() => temporaryStore().mail('../up' as SessionId)).toThrow();
  });

  test('for a stopped session is delivered when it goes on (case 75, Q-7)', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    await send(store.mail(id), 'for later');
    expect(await consume(store, id, 9)).toEqual(['for later']);
  });

  test('that could not be saved is not accepted (G6)', async () => {
    const fs = faultyFileSystem();
    const store = temporaryStore({ fs });
    const queue = await newQueue(store);
    await send(queue, 'first');
    const before = fs.operations.length;
    await send(queue, 'second');
    const operations = fs.operations.slice(before);
    expect(operations).toContain('datasync');
    for (const [index] of operations.entries()) {
      fs.fail(index + 1, { type: 'error', errno: 'ENOSPC', sticky: false });
      const { total } = await queue.list();
      const sent = await send(queue, `number ${index}`).catch((error: unknown) => error);
      fs.heal();
      const isAccepted = !(sent instanceof Error);
      expect([operations[index], (await queue.list()).total]).toEqual([
        operations[index],
        total + (isAccepted ? 1 : 0),
      ]);
    }
  });

  test('that was damaged on disk is left out, and the others are not', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    await sendAll(store.mail(id), 3);
    const file = path.join(store.root, id, 'inbox.jsonl');
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, [lines[0], lines[1]!.replace('m2', 'mX'), lines[2], '{"torn":'].join('\n'));
    const queue = store.mail(id);
    expect(texts((await queue.list()).items)).toEqual(['m1', 'm3']);
    expect(await send(queue, 'm4')).toMatchObject({ seq: 4 });
  });
});

/** A long sleep ends only when it is called off. */
function longSleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const calledOff = (): void => {
      reject(new Error('called off'));
    };
    if (signal.aborted) calledOff();
    else if (ms < 10_000) setImmediate(resolve);
    signal.addEventListener('abort', calledOff);
  });
}
