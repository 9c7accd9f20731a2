import assert from 'node:assert/strict';

import type { Answer, Posted, Session, SessionEvent, SessionId, SessionStore } from '../../core/index.js';
import {
  answerEvents,
  interruptId,
  makeInterrupt,
  openInterrupts,
  plainAnswer,
  toolRef,
} from '../../core/index.js';
import { called, confirmation, said, started } from './sample-events.js';
import type { StoreCase, Tried } from './store-case.js';
import {
  answerOf,
  collect,
  contentOf,
  onlyOne,
  promise,
  question,
  refused,
  sessionId,
  soon,
  waiting,
} from './store-case.js';

const AT = '2026-01-02T03:05:00.000Z';
/** Number of rounds, enough for two concurrent posts to collide in any store. */
const SAME_ROUNDS = 20;
const AMOUNT = { amount: 200 };

const calledBoth: SessionEvent = {
  type: 'message-added',
  message: {
    role: 'model',
    content: ['a', 'b'].map((ref) => ({
      type: 'tool-request',
      ref: toolRef(ref),
      name: 'transferMoney',
      input: AMOUNT,
    })),
  },
  usage: { inputTokens: 20, outputTokens: 8 },
  end: 'tool-use',
};

/** Returns the events that an accepted answer adds. */
function used(answer: Answer, { state }: Session): readonly SessionEvent[] {
  return answerEvents(plainAnswer(answer, { interrupt: question }), state, { at: AT });
}

/** Queues an answer for the next process that opens the session. */
async function leave(store: SessionStore, id: SessionId, answer: Answer, receipt?: string): Promise<Posted> {
  await using _writer = await store.open(id, 'write');
  return await store.post(id, answer, { signal: soon(), ...(receipt !== undefined && { receipt }) });
}

/** Returns the names of the people whose answers are in the journal. */
async function answeredBy(store: SessionStore, id: SessionId): Promise<readonly string[]> {
  return (await contentOf(store, id)).flatMap((event) =>
    event.type === 'interrupt-resolved' && 'name' in event.by ? [event.by.name] : [],
  );
}

/** Sends answers from four people at once, through two processes. */
async function raceToAnswer({ store, another }: Tried): Promise<void> {
  const id = await waiting(store);
  const names = ['ann', 'bob', 'cyd', 'dan'];
  const posts = await Promise.allSettled(
    names.map(async (name, index) => (index % 2 === 0 ? store : another).post(id, answerOf(name))),
  );
  {
    await using session = await store.open(id, 'write');
    const left = await session.answers().take();
    if (left !== undefined) await session.append(used(left, session));
  }
  assert.equal((await answeredBy(another, id)).length, 1);
  const posted = posts.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const fates = await Promise.all(posted.map(async (each) => store.fate(each, soon())));
  assert.equal(fates.filter(({ type }) => type === 'used').length, 1);
}

/** Cases for remote answers. Exactly one answer is used, and each sender receives the outcome. */
export const answeringCases: readonly StoreCase[] = [
  promise('an answer to a session without a writer is journaled immediately', async ({ store, another }) => {
    const id = await waiting(store);
    const posted = await another.post(id, answerOf('ann'), { receipt: 'r1' });
    assert.deepEqual(posted, { type: 'recorded', session: id, interrupt: question.id, receipt: 'r1' });
    assert.deepEqual(await answeredBy(store, id), ['ann']);
    assert.equal(await store.waitingCount(), 0);
    const { resolution, by } = answerOf('ann');
    const fate = await store.fate(posted, soon());
    assert.equal(fate.type, 'used');
    assert.deepEqual([fate.resolved.resolution, fate.resolved.by], [resolution, by]);
  }),

  promise(
    'an answer to an expired question is refused, because the timeout has decided it',
    async ({ store }) => {
      const { kind, source, payload, path, raisedAt } = question;
      const late = makeInterrupt(
        { kind, source, payload, expiresAt: '2001-01-01T00:00:00.000Z' },
        { id: question.id, path, raisedAt },
      );
      const input = { amount: 200 };
      const session = await store.create({ agent: { model: 'demo', tools: [] } });
      const { id } = session;
      const asks: SessionEvent = { type: 'interrupt-raised', interrupt: late };
      await session.append([said('pay'), called('a', input), started('a', 1, input), asks]);
      await session[Symbol.asyncDispose]();
      await refused(store.post(id, { ...answerOf('ann'), digest: late.digest }), 'ALREADY_ANSWERED');
      const decided = (await contentOf(store, id)).find(({ type }) => type === 'interrupt-resolved');
      assert.deepEqual(decided?.type === 'interrupt-resolved' && [decided.by, decided.resolution.action], [
        { type: 'clock' },
        'reject',
      ]);
    },
  ),

  promise(
    'an answer to a session with a writer is queued for the writer, which receives it unchanged',
    async ({ store, another }) => {
      const id = await waiting(store);
      await using session = await store.open(id, 'write');
      const posted = await another.post(id, answerOf('ann'), { receipt: 'r1' });
      assert.deepEqual(posted, { type: 'left', session: id, interrupt: question.id, receipt: 'r1' });
      const answers = session.answers();
      assert.deepEqual(await answers.take(), answerOf('ann'));
      assert.equal(await answers.take(), undefined);
      assert.deepEqual(await answeredBy(another, id), []);
    },
  ),

  promise(
    "an answer posted by the session's own writer is journaled immediately, and the session stays open",
    async ({ store, another }) => {
      const id = await waiting(store);
      await using held = await store.open(id, 'write');
      const posted = await store.post(id, answerOf('ann'), { receipt: 'r1', held });
      assert.deepEqual(posted, { type: 'recorded', session: id, interrupt: question.id, receipt: 'r1' });
      assert.deepEqual(await answeredBy(another, id), ['ann']);
      assert.deepEqual(openInterrupts(held.state), []);
      await refused(another.open(id, 'write'), 'SESSION_LOCKED');
      await refused(store.post(id, answerOf('bob'), { held }), 'ALREADY_ANSWERED');
      await refused(store.post(await waiting(store), answerOf('ann'), { held }), 'INTERNAL');
    },
  ),

  promise('a waiting writer is notified of a new answer', async ({ store, another }) => {
    const id = await waiting(store);
    await using session = await store.open(id, 'write');
    const next = session.answers().next(soon());
    await another.post(id, answerOf('ann'));
    assert.deepEqual(await next, answerOf('ann'));
  }),

  promise(
    'a queued answer waits for the next writer, and for the one after that if it was not used',
    async ({ store, another }) => {
      const id = await waiting(store);
      await leave(store, id, answerOf('ann'));
      {
        await using first = await another.open(id, 'write');
        assert.deepEqual(await first.answers().take(), answerOf('ann'));
      }
      await using second = await store.open(id, 'write');
      assert.deepEqual(await second.answers().take(), answerOf('ann'));
      assert.deepEqual(await second.answers().take(), answerOf('ann')); // each call begins with what is open
      await second.append(used(answerOf('ann'), second));
      assert.equal(await second.answers().take(), undefined);
    },
  ),

  promise(
    'recording an answer also applies the queued answers to other questions, so none stays unread (F1)',
    async ({ store, another }) => {
      const [first, second] = [confirmation('i1', 'a', AMOUNT), confirmation('i2', 'b', AMOUNT)];
      const session = await store.create({ agent: { model: 'demo', tools: [] } });
      const { id } = session;
      await session.append([said('pay both'), calledBoth]);
      for (const { ref, interrupt } of [
        { ref: 'a', interrupt: first },
        { ref: 'b', interrupt: second },
      ])
        await session.append([started(ref, 1, AMOUNT), { type: 'interrupt-raised', interrupt }]);
      const left = await another.post(id, { ...answerOf('bob'), id: second.id, digest: second.digest });
      assert.equal(left.type, 'left');
      await session[Symbol.asyncDispose]();
      assert.equal((await another.post(id, answerOf('ann'))).type, 'recorded');
      assert.deepEqual(await answeredBy(store, id), ['ann', 'bob']);
      assert.equal((await another.fate(left, soon())).type, 'used');
    },
  ),

  promise(
    'the same answer with the same receipt gets the same result, even while the first is in progress (F5)',
    async ({ store, another }) => {
      for (let round = 0; round < SAME_ROUNDS; round += 1) {
        const id = await waiting(store);
        const twice = [store, another].map(async (each) => each.post(id, answerOf('ann'), { receipt: 'r1' }));
        const posted = await Promise.all(twice);
        assert.ok(posted.some(({ type }) => type === 'recorded'));
        const fates = await Promise.all(posted.map(async (each) => store.fate(each, soon())));
        assert.deepEqual(
          fates.map(({ type }) => type),
          ['used', 'used'],
        );
      }
    },
  ),

  promise('the sender of a queued answer is told that it was used', async ({ store, another }) => {
    const id = await waiting(store);
    const posted = await leave(another, id, answerOf('ann'));
    await using session = await store.open(id, 'write');
    const fate = another.fate(posted, soon());
    await session.append(used(answerOf('ann'), session));
    const { resolution, by } = answerOf('ann');
    assert.deepEqual(await fate, {
      type: 'used',
      resolved: { interrupt: question, resolution, by, resolvedAt: AT },
    });
  }),

  promise('the sender of a queued answer is told who answered first', async ({ store, another }) => {
    const id = await waiting(store);
    const late = await leave(another, id, answerOf('bob', 'cancel'));
    await using session = await store.open(id, 'write');
    await session.append(used(answerOf('ann'), session));
    assert.equal(await session.answers().take(), undefined);
    const fate = await another.fate(late, soon());
    assert.equal(fate.type, 'refused');
    assert.deepEqual(fate.resolved?.by, answerOf('ann').by);
  }),

  promise(
    'the sender of a queued answer is told why it was refused, and the answer is not delivered again',
    async ({ store, another }) => {
      const id = await waiting(store);
      const posted = await leave(another, id, answerOf('ann'));
      {
        await using session = await store.open(id, 'write');
        const answers = session.answers();
        const taken = await answers.take();
        assert.ok(taken !== undefined);
        await answers.refuse(taken, 'amount: expected number');
      }
      assert.deepEqual(await another.fate(posted, soon()), {
        type: 'refused',
        why: 'amount: expected number',
      });
      await using again = await store.open(id, 'write');
      assert.equal(await again.answers().take(), undefined);
      assert.equal(await another.waitingCount(), 1);
    },
  ),

  promise(
    'a list marks sessions with unread answers until a writer has used or refused them (F1)',
    async ({ store, another }) => {
      const [id, refusing, other] = [await waiting(store), await waiting(store), await waiting(store)];
      const unread = async (of: SessionStore) => {
        const all = (await collect(of.list())).filter((session) => session.unread === true);
        const asked = await collect(of.list({ unread: true }));
        assert.deepEqual(asked, all);
        return asked.map(({ id: session, status }) => `${session} ${status}`).sort();
      };
      {
        await using held = await store.open(id, 'write');
        await another.post(id, answerOf('ann'));
        assert.deepEqual(await unread(another), []); // its writer takes it
        assert.equal(held.mode, 'write');
      }
      assert.deepEqual(await unread(another), [`${id} waiting`]);
      await leave(another, refusing, answerOf('bob'));
      assert.deepEqual(await unread(store), [`${id} waiting`, `${refusing} waiting`].sort());
      {
        await using held = await store.open(id, 'write');
        const taken = await held.answers().take();
        assert.ok(taken !== undefined);
        await held.append(used(taken, held));
        await using refused = await another.open(refusing, 'write');
        const answers = refused.answers();
        const bad = await answers.take();
        assert.ok(bad !== undefined);
        await answers.refuse(bad, 'no');
      }
      assert.deepEqual(await unread(another), []);
      assert.equal((await store.open(other, 'read')).state.resolved.toArray().length, 0);
    },
  ),

  promise(
    'a second queued answer to a question is refused once the first is used',
    async ({ store, another }) => {
      const id = await waiting(store);
      const first = await leave(store, id, answerOf('ann'));
      const second = await leave(another, id, answerOf('bob'));
      await using session = await store.open(id, 'write');
      const answers = session.answers();
      const taken = await answers.take();
      assert.deepEqual(taken, answerOf('ann'));
      await session.append(used(answerOf('ann'), session));
      assert.equal(await answers.take(), undefined);
      assert.equal((await another.fate(first, soon())).type, 'used');
      assert.equal((await another.fate(second, soon())).type, 'refused');
    },
  ),

  promise(
    'a recorded answer that is posted again with its receipt is applied once',
    async ({ store, another }) => {
      const id = await waiting(store);
      const first = await store.post(id, answerOf('ann'), { receipt: 'r1' });
      assert.deepEqual(await another.post(id, answerOf('ann'), { receipt: 'r1' }), first);
      assert.deepEqual(await answeredBy(store, id), ['ann']);
    },
  ),

  promise(
    'a queued answer that is posted again with its receipt is applied once',
    async ({ store, another }) => {
      const id = await waiting(store);
      const first = await leave(store, id, answerOf('ann'), 'r1');
      assert.deepEqual(await leave(another, id, answerOf('ann'), 'r1'), first);
      await using session = await store.open(id, 'write');
      const answers = session.answers();
      assert.deepEqual(await answers.take(), answerOf('ann'));
      assert.equal(await answers.take(), undefined);
    },
  ),

  promise('an answer without a receipt gets a unique one', async ({ store, another }) => {
    const id = await waiting(store);
    const receipts = [await leave(store, id, answerOf('ann')), await leave(another, id, answerOf('ann'))].map(
      ({ receipt }) => receipt,
    );
    assert.equal(new Set(receipts).size, 2);
    assert.ok(receipts.every((receipt) => receipt.length > 0));
  }),

  promise('exactly one of several simultaneous answers is used', async (tried) => {
    for (let round = 0; round < 3; round += 1) await raceToAnswer(tried);
  }),

  promise(
    'the first of several successive answers is used, and the others are refused',
    async ({ store, another }) => {
      const id = await waiting(store);
      const posts = [store.post(id, answerOf('ann'))];
      await posts[0];
      posts.push(another.post(id, answerOf('bob', 'cancel')), store.post(id, answerOf('cyd')));
      const { type } = await onlyOne(posts, 'ALREADY_ANSWERED');
      assert.equal(type, 'recorded');
      assert.deepEqual(await answeredBy(store, id), ['ann']);
    },
  ),

  promise('an invalid answer is refused and changes nothing', async ({ store, another }) => {
    const id = await waiting(store);
    const answer = answerOf('ann');
    await refused(another.post(sessionId('nobody'), answer), 'SESSION_NOT_FOUND');
    await refused(another.post(id, { ...answer, id: interruptId('i9') }), 'INTERRUPT_NOT_FOUND');
    await refused(another.post(id, { ...answer, digest: 'ffffffff' }), 'BAD_ANSWER');
    await refused(another.post(id, { ...answer, resolution: { action: 'go-back' } }), 'BAD_ANSWER');
    assert.deepEqual(await answeredBy(store, id), []);
    assert.equal(await store.waitingCount(), 1);
    assert.equal(await store.isWritten(id), false);
  }),

  promise('a session continues from an answered question', async ({ store, another }) => {
    const id = await waiting(store);
    await another.post(id, answerOf('ann'));
    await using session = await store.open(id, 'write');
    assert.deepEqual(openInterrupts(session.state), []);
    await session.append([started('a', 2, { amount: 200 })]);
    const [item] = await collect(another.list());
    assert.deepEqual([item?.id, item?.waiting], [id, 0]);
  }),

  promise('waiting for an answer or for its outcome can be aborted', async ({ store, another }) => {
    const id = await waiting(store);
    const posted = await leave(another, id, answerOf('ann'));
    await using session = await store.open(id, 'write');
    const answers = session.answers();
    await answers.take();
    const stop = new AbortController();
    const next = answers.next(stop.signal);
    const fate = another.fate(posted, stop.signal);
    const why = new Error('enough');
    stop.abort(why);
    await Promise.all([assert.rejects(next, why), assert.rejects(fate, why)]);
    assert.equal(session.lost.aborted, false);
  }),
];
