import assert from 'node:assert/strict';

import type { JsonObject, SessionEvent } from '../../core/index.js';
import { fold } from '../../core/index.js';
import { agent, replied, said, started, transferTurn } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import { closed, collect, contentOf, eventsOf, filled, promise, refused } from './store-case.js';

const changedAgent: SessionEvent = { type: 'agent-changed', agent: { ...agent, model: 'other' } };

/** Strings that a file or database format may misinterpret. */
const HARD_TEXTS = [
  'two\nlines\r\nand "quotes" \\ and \u2028 breaks',
  'nothing \0 in the middle',
  'a lone half \ud800 of a pair',
  '👩‍👩‍👧 é e\u0301 ﷽',
  '{"v":1,"seq":99,"event":{}}',
  '',
];

const HARD_DATA: JsonObject = {
  ['__proto__']: { a: 1 },
  '': [],
  k: [0, -1.5, 1e300, null, false, { deep: [[['x']]] }],
};

/** Cases for appending events, and for reading them from other processes. */
export const appendingCases: readonly StoreCase[] = [
  promise('appended events are read back in order and produce the same state', async ({ store, another }) => {
    const events = transferTurn();
    await using session = await store.create({ agent });
    for (const event of events) await session.append([event]);
    const { state, version } = session;
    await session[Symbol.asyncDispose]();

    await using read = await another.open(session.id, 'read');
    const stored = await eventsOf(read);
    assert.deepEqual([read.mode, read.version, read.notices], ['read', version, []]);
    assert.deepEqual(
      stored.map(({ seq }) => seq),
      stored.map((_, index) => index + 1),
    );
    assert.deepEqual(
      stored.slice(2).map(({ event }) => event),
      events,
    );
    assert.deepEqual(read.state, state);
    assert.deepEqual(read.state, fold(stored.map(({ event }) => event)));
  }),

  promise('appended events are visible to others when the append resolves', async ({ store, another }) => {
    await using session = await store.create({ agent });
    const events = [said('a'), replied('b'), said('c')];
    for (const [index, event] of events.entries()) {
      await session.append([event]);
      assert.deepEqual(await contentOf(another, session.id), events.slice(0, index + 1));
    }
  }),

  promise('appends that were not awaited keep their order', async ({ store }) => {
    await using session = await store.create({ agent });
    const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
    await Promise.all(texts.map((text) => session.append([said(text)])));
    assert.deepEqual(
      (await eventsOf(session)).slice(2).map(({ event }) => event),
      texts.map(said),
    );
    assert.equal(session.state.turns, 50);
  }),

  promise(
    'lazily appended events take effect immediately, in order with the others',
    async ({ store, another }) => {
      const session = await store.create({ agent });
      const lazy = session.append([said('a')], { lazily: true });
      assert.deepEqual([session.version, session.state.turns], [3, 1]);
      const next = session.append([replied('b')]);
      assert.equal(session.version, 4);
      await Promise.all([lazy, next]);
      const last = session.append([said('c')], { lazily: true });
      await session[Symbol.asyncDispose]();
      await last;
      assert.deepEqual(await contentOf(another, session.id), [said('a'), replied('b'), said('c')]);
    },
  ),

  promise(
    'a lazy append is durable when it resolves, even if nothing is appended after it',
    async ({ store, another }) => {
      await using session = await store.create({ agent });
      await session.append([said('a')], { lazily: true });
      assert.deepEqual(await contentOf(another, session.id), [said('a')]);
    },
  ),

  promise('an illegal event is refused, and nothing in its batch is written', async ({ store, another }) => {
    await using session = await store.create({ agent });
    const { version, state } = session;
    const batch: readonly SessionEvent[] = [said('hello'), started('nowhere', 1, { amount: 1 })];
    await refused(session.append(batch), 'ILLEGAL_EVENT');
    assert.deepEqual([session.version, session.state], [version, state]);
    await session.append([said('again')]);
    assert.equal(session.version, version + 1);
    assert.deepEqual(await contentOf(another, session.id), [said('again')]);
  }),

  promise('an empty append does nothing, even for a writer that has not appended yet', async ({ store }) => {
    const { id } = await closed(store.create({ agent }));
    await using session = await store.open(id, 'write');
    await session.append([]);
    assert.equal(session.version, 2);
  }),

  promise(
    'a writer that appends increases the epoch, and one that only reads does not',
    async ({ store, another }) => {
      const { id } = await closed(store.create({ agent }));
      await closed(another.open(id, 'write'));
      await using second = await store.open(id, 'write');
      await second.append([said('hello')]);
      assert.deepEqual([second.version, second.state.writer?.epoch], [4, 2]);
    },
  ),

  promise('difficult strings, keys and numbers are read back unchanged', async ({ store, another }) => {
    const events: readonly SessionEvent[] = [
      ...HARD_TEXTS.map(said),
      { type: 'message-added', message: { role: 'user', content: [{ type: 'data', data: HARD_DATA }] } },
    ];
    const id = await filled(store, events);
    assert.deepEqual(await contentOf(another, id), events);
  }),

  promise('a one-megabyte event is read back in full', async ({ store, another }) => {
    const events = [said(`${'0123456789abcdef'.repeat(65_536)} end`)];
    const id = await filled(store, events);
    assert.deepEqual(await contentOf(another, id), events);
  }),

  promise(
    'changing an event after appending it does not change the stored event',
    async ({ store, another }) => {
      await using session = await store.create({ agent });
      const message = { role: 'user' as const, content: [{ type: 'text' as const, text: 'before' }] };
      const appended = session.append([{ type: 'message-added', message }]);
      message.content[0] = { type: 'text', text: 'after' };
      await appended;
      assert.deepEqual(await contentOf(another, session.id), [said('before')]);
    },
  ),

  promise('sessions that are written at the same time stay separate', async ({ store, another }) => {
    await using left = await store.create({ agent });
    await using right = await another.create({ agent });
    const texts = Array.from({ length: 20 }, (_, index) => `${index}`);
    await Promise.all(
      texts.flatMap((text) => [left.append([said(`left ${text}`)]), right.append([said(`right ${text}`)])]),
    );
    for (const [name, { id }] of [
      ['left', left],
      ['right', right],
    ] as const)
      assert.deepEqual(
        await contentOf(store, id),
        texts.map((text) => said(`${name} ${text}`)),
      );
  }),

  promise('a reader writes nothing', async ({ store, another }) => {
    const { id } = await closed(store.create({ agent }));
    await using reader = await another.open(id, 'read');
    await refused(reader.append([said('hello')]), 'INTERNAL');
    assert.throws(() => {
      reader.beginWith([changedAgent]);
    });
    assert.equal(reader.version, 2);
  }),

  promise('a reader sees the session as it was when the reader opened it', async ({ store, another }) => {
    await using writer = await store.create({ agent });
    await using reader = await another.open(writer.id, 'read');
    await writer.append([said('hello')]);
    assert.deepEqual([reader.version, reader.state.turns], [2, 0]);
    assert.equal((await eventsOf(reader)).length, 2);
  }),

  promise('a closed session refuses appends and may be closed again', async ({ store, another }) => {
    const session = await closed(store.create({ agent }));
    await session[Symbol.asyncDispose]();
    await refused(session.append([said('late')]), 'SESSION_CLOSED');
    assert.deepEqual(await contentOf(another, session.id), []);
  }),

  promise(
    '`beginWith` events are written before the first append, and never without one',
    async ({ store, another }) => {
      const { id } = await closed(store.create({ agent }));
      const idle = await store.open(id, 'write');
      idle.beginWith([changedAgent]);
      await idle[Symbol.asyncDispose]();
      assert.deepEqual(await contentOf(another, id), []);

      const busy = await another.open(id, 'write');
      busy.beginWith([changedAgent]);
      await busy.append([said('a')]);
      await busy.append([replied('b')]);
      await busy[Symbol.asyncDispose]();
      assert.deepEqual(await contentOf(store, id), [changedAgent, said('a'), replied('b')]);
    },
  ),

  promise(
    'a listener is notified of all appended events, in order and before the append resolves',
    async ({ store }) => {
      const { id } = await closed(store.create({ agent }));
      await using session = await store.open(id, 'write');
      const heard: string[] = [];
      const end = session.onAppended((events, state) => {
        heard.push(...events.map(({ seq, event }) => `${seq} ${event.type}, ${state.turns} turns`));
      });
      session.beginWith([changedAgent]);
      await session.append([said('a')]);
      assert.deepEqual(heard, [
        '3 session-opened, 1 turns',
        '4 agent-changed, 1 turns',
        '5 message-added, 1 turns',
      ]);
      await refused(session.append([started('nowhere', 1, { amount: 1 })]), 'ILLEGAL_EVENT');
      end();
      await session.append([said('b')]);
      assert.equal(heard.length, 3);
    },
  ),

  promise(
    'a session keeps its creation time, and its modification time is updated when it changes',
    async ({ store, another }) => {
      const session = await store.create({ agent });
      const { createdAt } = session;
      await session.append([said('a')]);
      const { updatedAt } = session;
      await session[Symbol.asyncDispose]();
      assert.equal(new Date(createdAt).toISOString(), createdAt);
      assert.ok(updatedAt >= createdAt);
      await using seen = await another.open(session.id, 'read');
      assert.deepEqual([seen.createdAt, seen.updatedAt], [createdAt, updatedAt]);
      const [listed] = await collect(another.list());
      assert.deepEqual([listed?.createdAt, listed?.updatedAt], [createdAt, updatedAt]);
    },
  ),
];
