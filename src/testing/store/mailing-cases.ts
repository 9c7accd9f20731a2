import assert from 'node:assert/strict';

import type { MessageDraft, Session, SessionId, SessionMail, SessionStore } from '../../core/index.js';
import { ROOT_PATH } from '../../core/index.js';
import { agent } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import { closed, contentOf, filled, promise, refused, soon } from './store-case.js';

const ANN = { type: 'person', name: 'ann', via: 'answer' } as const;
const HERE = { phase: 'turn', path: ROOT_PATH } as const;

async function quiet(store: SessionStore): Promise<SessionId> {
  return (await closed(store.create({ agent }))).id;
}

async function send(mail: SessionMail, text: string, draft: Partial<MessageDraft> = {}) {
  return mail.send({ text, from: ANN, ...draft }, {}, soon());
}

async function textsOf(mail: SessionMail): Promise<readonly string[]> {
  return (await mail.list()).items.map(({ text }) => text);
}

/** Takes the queued messages at a safe point, and records that they were taken. */
async function take(session: Session): Promise<readonly string[]> {
  const taken = await session.inbox().take(HERE, soon());
  await session.append(taken.events);
  taken.release();
  const { control, messages } = taken;
  return control === undefined ? messages.map(({ text }) => text) : [control.verb];
}

/** Cases for messages. Each message is delivered at most once and in order. */
export const mailingCases: readonly StoreCase[] = [
  promise('queued messages are ordered by priority, then in sending order', async ({ store, another }) => {
    const id = await quiet(store);
    const mail = another.mail(id);
    await send(mail, 'one');
    await send(mail, 'later', { priority: 'low' });
    await send(mail, 'two');
    await send(mail, 'now', { priority: 'urgent' });
    assert.deepEqual(await textsOf(store.mail(id)), ['now', 'one', 'two', 'later']);
  }),

  promise('a message is stored as it was sent', async ({ store, another }) => {
    const id = await quiet(store);
    const draft = {
      text: 'Stop\nat 5 — "please"',
      from: ANN,
      id: 'm1',
      action: { action: 'update-state', patch: { fast: true } },
      priority: 'urgent',
      expiresAt: '2099-01-01T00:00:00.000Z',
    } as const;
    const sent = await store.mail(id).send(draft, {}, soon());
    assert.deepEqual(sent, { id: 'm1', seq: 1, depth: 1, isNew: true });
    const [{ at, ...item } = { at: '' }] = (await another.mail(id).list()).items;
    assert.deepEqual(item, { type: 'message', seq: 1, ...draft });
    assert.equal(new Date(at).toISOString(), at);
  }),

  promise(
    'a message sent again with the same id is stored once, and a different message with that id is refused',
    async ({ store, another }) => {
      const id = await quiet(store);
      await send(store.mail(id), 'one', { id: 'm1' });
      const again = await send(another.mail(id), 'one', { id: 'm1' });
      assert.deepEqual(again, { id: 'm1', seq: 1, depth: 1, isNew: false });
      await refused(send(another.mail(id), 'two', { id: 'm1' }), 'BAD_INPUT');
      assert.deepEqual(await textsOf(store.mail(id)), ['one']);
    },
  ),

  promise(
    'messages that are sent at the same time are each stored exactly once',
    async ({ store, another }) => {
      const id = await quiet(store);
      const texts = Array.from({ length: 8 }, (_, index) => `m${index}`);
      const sent = await Promise.all(
        texts.map((text, index) => send((index % 2 === 0 ? store : another).mail(id), text)),
      );
      assert.deepEqual(new Set(sent.map(({ seq }) => seq)).size, 8);
      assert.deepEqual([...(await textsOf(store.mail(id)))].sort(), [...texts].sort());
    },
  ),

  promise('an invalid message is refused', async ({ store }) => {
    const mail = store.mail(await quiet(store));
    await refused(send(mail, ' \n '), 'BAD_INPUT');
    await refused(send(mail, 'x'.repeat(10_001)), 'BAD_INPUT');
    await refused(send(mail, 'x', { expiresAt: 'tomorrow' }), 'BAD_INPUT');
    assert.deepEqual(await textsOf(mail), []);
  }),

  promise(
    'a full queue refuses a message or drops a lower-priority one, depending on `overflow`',
    async ({ store, another }) => {
      const id = await quiet(store);
      await send(store.mail(id), 'low', { priority: 'low', id: 'm1' });
      await send(store.mail(id), 'normal');
      const full = { maxQueue: 2 } as const;
      const mail = another.mail(id);
      await refused(mail.send({ text: 'more', from: ANN }, full, soon()), 'QUEUE_FULL');
      const sent = await mail.send(
        { text: 'urgent', from: ANN, priority: 'urgent' },
        { ...full, overflow: 'drop-lowest' },
        soon(),
      );
      assert.equal(sent.evicted, 'm1');
      assert.deepEqual(await textsOf(store.mail(id)), ['urgent', 'normal']);
    },
  ),

  promise('a withdrawn message is not delivered', async ({ store, another }) => {
    const id = await quiet(store);
    const mail = another.mail(id);
    for (const text of ['one', 'two', 'three']) await send(mail, text, { id: text });
    assert.deepEqual(await store.mail(id).withdraw(['two', 'nobody'], soon()), ['two']);
    await using session = await store.open(id, 'write');
    assert.deepEqual(await take(session), ['one', 'three']);
    assert.deepEqual(await mail.withdraw('all', soon()), []);
  }),

  promise(
    'a message is delivered once and leaves the queue with the append that records it',
    async ({ store, another }) => {
      const id = await filled(store, []);
      await send(another.mail(id), 'one');
      {
        await using first = await store.open(id, 'write');
        assert.deepEqual(await take(first), ['one']);
        assert.deepEqual(await take(first), []);
        assert.deepEqual(await textsOf(another.mail(id)), []);
      }
      await using second = await another.open(id, 'write');
      assert.deepEqual(await take(second), []);
      const delivered = (await contentOf(store, id)).filter(({ type }) => type === 'inbox-delivered');
      assert.equal(delivered.length, 1);
    },
  ),

  promise(
    'a message taken by a writer that died before recording it waits for the next writer',
    async ({ store, another }) => {
      const id = await quiet(store);
      await send(another.mail(id), 'one');
      {
        await using dying = await store.open(id, 'write');
        const taken = await dying.inbox().take(HERE, soon());
        taken.release();
      }
      await using next = await another.open(id, 'write');
      assert.deepEqual(await take(next), ['one']);
    },
  ),

  promise('a message that is being delivered cannot be withdrawn', async ({ store, another }) => {
    const id = await quiet(store);
    await send(another.mail(id), 'one');
    await using session = await store.open(id, 'write');
    const taken = await session.inbox().take(HERE, soon());
    const withdrawn = another.mail(id).withdraw('all', soon());
    await session.append(taken.events);
    taken.release();
    assert.deepEqual(await withdrawn, []);
  }),

  promise(
    'a control message is delivered before all others and leaves them in the queue',
    async ({ store, another }) => {
      const id = await quiet(store);
      const mail = another.mail(id);
      await send(mail, 'one', { priority: 'urgent' });
      await mail.control({ verb: 'pause', from: ANN, reason: 'lunch' }, soon());
      await using session = await store.open(id, 'write');
      assert.deepEqual(await take(session), ['pause']);
      assert.deepEqual(await take(session), ['one']);
    },
  ),

  promise('a waiting run is notified of new messages and control messages', async ({ store, another }) => {
    await using session = await store.create({ agent });
    const inbox = session.inbox();
    const arrived = inbox.arrived(0, soon());
    const control = inbox.control(['cancel'], soon());
    await send(another.mail(session.id), 'one');
    await arrived;
    assert.deepEqual(
      (await inbox.waiting()).map(({ text }) => text),
      ['one'],
    );
    await another.mail(session.id).control({ verb: 'cancel', from: ANN }, soon());
    assert.equal((await control).verb, 'cancel');
  }),

  promise(
    'messages that a run leaves unread stay for the next run, and its control messages do not',
    async ({ store, another }) => {
      const id = await quiet(store);
      const mail = another.mail(id);
      await send(mail, 'one');
      await mail.control({ verb: 'pause', from: ANN }, soon());
      {
        await using session = await store.open(id, 'write');
        const left = await session.inbox().end(soon());
        await session.append(left.events);
        left.release();
        assert.deepEqual(
          left.messages.map(({ text }) => text),
          ['one'],
        );
      }
      await using next = await another.open(id, 'write');
      assert.deepEqual(await take(next), ['one']);
    },
  ),

  promise('pages of a queue show each message once, even while others arrive', async ({ store, another }) => {
    const id = await quiet(store);
    const mail = another.mail(id);
    for (const text of ['one', 'two', 'three']) await send(mail, text);
    const first = await store.mail(id).list({ pageSize: 2 });
    assert.deepEqual(
      [first.items.map(({ text }) => text), first.total, first.hasNext],
      [['one', 'two'], 3, true],
    );
    await send(mail, 'urgent', { priority: 'urgent' });
    assert.ok(first.next !== undefined);
    const second = await store.mail(id).list({ pageSize: 2, after: first.next });
    assert.deepEqual([second.items.map(({ text }) => text), second.hasNext], [['three'], false]);
    await refused(mail.list({ after: 'no cursor' }), 'BAD_INPUT');
  }),

  promise('reading a queue does not change it', async ({ store, another }) => {
    const id = await quiet(store);
    await send(another.mail(id), 'one');
    const before = await store.mail(id).metrics();
    await store.mail(id).list();
    assert.deepEqual(await another.mail(id).metrics(), before);
  }),

  promise('message outcomes are counted across processes', async ({ store, another }) => {
    const id = await quiet(store);
    const mail = another.mail(id);
    for (const text of ['one', 'two', 'three']) await send(mail, text, { id: text });
    await mail.withdraw(['two'], soon());
    await refused(mail.send({ text: 'four', from: ANN }, { maxQueue: 2 }, soon()), 'QUEUE_FULL');
    {
      await using session = await store.open(id, 'write');
      await take(session);
    }
    await send(mail, 'five');
    const { queued, delivered, dropped, rejected, depth, maxDepth } = await store.mail(id).metrics();
    assert.deepEqual(
      { queued, delivered, dropped, rejected, depth, maxDepth },
      { queued: 4, delivered: 2, dropped: 1, rejected: 1, depth: 1, maxDepth: 3 },
    );
  }),
];
