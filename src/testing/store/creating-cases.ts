import assert from 'node:assert/strict';

import { isSessionId } from '../../core/index.js';
import { agent, done, replied, said, started, transferTurn } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import {
  closed,
  collect,
  contentOf,
  eventsOf,
  filled,
  idsOf,
  isUnchecked,
  onlyOne,
  promise,
  refused,
  sessionId,
  soon,
} from './store-case.js';

const ANN = { type: 'person', name: 'ann', via: 'answer' } as const;

/** Invalid IDs: empty, a path, hidden, too long, or with invalid characters. */
const NO_IDS = ['', 'A', '../etc', 'a/b', '-x', '.hidden', 'a\0b', 'x'.repeat(65), 'é'];

/** Cases for creating and removing sessions. */
export const creatingCases: readonly StoreCase[] = [
  promise('the first events of a new session are durable', async ({ store, another }) => {
    await using session = await store.create({ agent, title: 'Rent', cwd: '/home/ann' });
    assert.deepEqual([session.mode, session.version, session.notices], ['write', 2, []]);
    await using seen = await another.open(session.id, 'read');
    const [created, opened, ...others] = await eventsOf(seen);
    assert.deepEqual(
      [created?.v, created?.seq, created?.scope, created?.event],
      [2, 1, '', { type: 'session-created', agent, title: 'Rent', cwd: '/home/ann' }],
    );
    assert.deepEqual([opened?.seq, opened?.event.type], [2, 'session-opened']);
    assert.deepEqual(others, []);
  }),

  promise('a session can be created together with its past events', async ({ store, another }) => {
    const events = transferTurn();
    const { id, state } = await closed(store.create({ agent, events }));
    assert.deepEqual(await contentOf(another, id), events);
    await using seen = await another.open(id, 'read');
    assert.deepEqual(seen.state, state);
  }),

  promise(
    'a session with illegal first events is not created, and its id stays free',
    async ({ store, another }) => {
      const id = sessionId('rent-2026');
      const events = [said('hello'), started('nowhere', 1, { amount: 1 })];
      await refused(store.create({ agent, id, events }), 'ILLEGAL_EVENT');
      assert.deepEqual(await collect(another.list()), []);
      await refused(another.open(id, 'read'), 'SESSION_NOT_FOUND');
      await closed(another.create({ agent, id }));
    },
  ),

  promise('a session without a given id gets a unique, valid id', async ({ store }) => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.push((await closed(store.create({ agent }))).id);
    assert.equal(new Set(ids).size, 5);
    assert.deepEqual(
      ids.filter((id) => !isSessionId(id)),
      [],
    );
  }),

  promise(
    'a given id can be used only once, and the session that has it does not change',
    async ({ store, another }) => {
      const id = sessionId('rent-2026');
      const session = await closed(store.create({ agent, id, title: 'Rent' }));
      assert.equal(session.id, id);
      await refused(another.create({ agent, id }), 'SESSION_EXISTS');
      assert.equal((await collect(another.list()))[0]?.title, 'Rent');
    },
  ),

  promise(
    'only one of several simultaneous creations with the same id succeeds',
    async ({ store, another }) => {
      const id = sessionId('rent-2026');
      const racers = [store, another, store, another].map((each) => closed(each.create({ agent, id })));
      await onlyOne(racers, 'SESSION_EXISTS', 'SESSION_LOCKED');
      assert.deepEqual(await idsOf(store.list()), [id]);
    },
  ),

  ...NO_IDS.map((text) =>
    promise(`the invalid id ${JSON.stringify(text)} is refused everywhere`, async ({ store }) => {
      if (!isUnchecked(text)) return;
      await refused(store.create({ agent, id: text }), 'SESSION_ID');
      await refused(store.open(text, 'read'), 'SESSION_ID');
      await refused(store.open(text, 'write'), 'SESSION_ID');
      await refused(store.remove(text), 'SESSION_ID');
      await refused(store.isWritten(text), 'SESSION_ID');
      assert.deepEqual(await collect(store.list()), []);
    }),
  ),

  promise('a session that was not created is not found by any operation', async ({ store }) => {
    const id = sessionId('nobody');
    await refused(store.open(id, 'read'), 'SESSION_NOT_FOUND');
    await refused(store.open(id, 'write'), 'SESSION_NOT_FOUND');
    await refused(store.remove(id), 'SESSION_NOT_FOUND');
    await refused(store.resolve(id), 'SESSION_NOT_FOUND');
    const mail = store.mail(id);
    await refused(mail.send({ text: 'hello', from: ANN }, {}, soon()), 'SESSION_NOT_FOUND');
    await refused(mail.control({ verb: 'pause', from: ANN }, soon()), 'SESSION_NOT_FOUND');
    await refused(mail.list(), 'SESSION_NOT_FOUND');
    await refused(mail.metrics(), 'SESSION_NOT_FOUND');
    await refused(mail.withdraw('all', soon()), 'SESSION_NOT_FOUND');
    assert.equal(await store.isWritten(id), false);
    await closed(store.create({ agent, id })); // and looking for it made nothing
  }),

  promise('a removed session is gone, and the others remain', async ({ store, another }) => {
    const kept = await filled(store, [said('a'), replied('b'), done]);
    const gone = await filled(store, [said('c'), replied('d'), done]);
    await another.remove(gone);
    await refused(store.open(gone, 'read'), 'SESSION_NOT_FOUND');
    await refused(store.remove(gone), 'SESSION_NOT_FOUND');
    assert.deepEqual(await idsOf(store.list()), [kept]);
    assert.deepEqual(await contentOf(store, kept), [said('a'), replied('b'), done]);
  }),

  promise(
    'a session is removed if it is unchanged since it was listed, and kept if it was written to since',
    async ({ store, another }) => {
      const id = await filled(store, [said('a'), replied('b'), done]);
      const [listed] = await collect(another.list());
      assert.ok(listed !== undefined);
      const { updatedAt: unchangedSince } = listed;
      await closed(
        store.open(id, 'write').then(async (session) => {
          await refused(another.remove(id, { unchangedSince }), 'SESSION_LOCKED');
          await session.append([said('more')]);
          return session;
        }),
      );
      await refused(another.remove(id, { unchangedSince }), 'VERSION_CONFLICT');
      assert.deepEqual(await idsOf(store.list()), [id]);
      const [now] = await collect(another.list());
      await another.remove(id, { unchangedSince: now?.updatedAt ?? '' });
      await refused(another.remove(id, { unchangedSince }), 'SESSION_NOT_FOUND');
    },
  ),

  promise('a listed session is removed only if it has no queued messages', async ({ store, another }) => {
    const id = await filled(store, [said('a'), replied('b'), done]);
    const removed = async (): Promise<void> => {
      const [listed] = await collect(another.list());
      await another.remove(id, { unchangedSince: listed?.updatedAt ?? '' });
    };
    await store.mail(id).send({ text: 'wait', from: ANN }, {}, soon());
    await refused(removed(), 'VERSION_CONFLICT');
    assert.equal((await another.mail(id).list()).total, 1);
    await store.mail(id).withdraw('all', soon());
    await removed();
    await refused(store.open(id, 'read'), 'SESSION_NOT_FOUND');
    await refused(store.mail(id).send({ text: 'late', from: ANN }, {}, soon()), 'SESSION_NOT_FOUND');
  }),

  promise(
    'a new session with the id of a removed one inherits nothing from it',
    async ({ store, another }) => {
      const id = sessionId('rent-2026');
      await closed(store.create({ agent, id, title: 'Old', events: [said('old')] }));
      await store.mail(id).send({ text: 'old', from: ANN }, {}, soon());
      await store.remove(id);
      await using session = await another.create({ agent, id, title: 'New' });
      assert.equal(session.version, 2);
      assert.deepEqual((await another.mail(id).list()).items, []);
      assert.equal(await session.answers().take(), undefined);
      assert.deepEqual(
        (await collect(store.list())).map(({ title, turns }) => [title, turns]),
        [['New', 0]],
      );
    },
  ),
];
