import assert from 'node:assert/strict';

import type { Session, Worklist } from '../../core/index.js';
import { makeInterrupt } from '../../core/index.js';
import { agent, approved, transferTurn } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import { answerOf, closed, collect, filled, promiseWhere, question, soon, waiting } from './store-case.js';

const FAILED = { code: 'INTERNAL', message: 'it broke' } as const;
/** Time limit for a claim that should check only once, in milliseconds. */
const AT_ONCE_MS = 1_500;

/** Number of attempts, above the number after which a session is reported as failing. */
const MANY_LOOKS = 12;

function once(ms = AT_ONCE_MS): AbortSignal {
  const stop = new AbortController();
  setTimeout(() => {
    stop.abort();
  }, ms);
  return stop.signal;
}

/** Cases for workers that claim sessions from a store with a worklist. */
export const workingCases: readonly StoreCase[] = [
  promiseWhere(
    'an answered session is claimed by one worker, and a session that waits for a person is not claimed',
    ({ store, another }) => store.capabilities.worklist && another.capabilities.worklist,
    async (worklist, { store, another }) => {
      const asked = await waiting(store);
      assert.equal(await worklist.claim(once()), undefined);
      const other = await waiting(store);
      await another.post(other, answerOf('ann'));
      await using session = await worklist.claim(soon());
      assert.deepEqual([session?.id, session?.state.resolved.length], [other, 1]);
      assert.equal(await another.capabilities.worklist?.claim(once()), undefined);
      assert.equal(await store.isWritten(asked), false);
    },
  ),

  promiseWhere(
    'a session whose work is done is not claimed again, and one that its worker gave back is',
    ({ store }) => store.capabilities.worklist,
    async (worklist, { store, another }) => {
      const id = await waiting(store);
      await another.post(id, answerOf('ann'));
      await closed(claimedBy(worklist));
      const again = await closed(claimedBy(worklist));
      assert.equal(again.id, id);
      assert.equal(await worklist.rest(again), true);
      assert.equal(await worklist.claim(once()), undefined);
    },
  ),

  promiseWhere(
    'a session does not rest while an answer that arrived after the claim is queued',
    ({ store }) => store.capabilities.worklist,
    async (worklist, { store, another }) => {
      const id = await filled(store, transferTurn().slice(0, 4));
      const session = await claimedBy(worklist);
      await session.append(transferTurn().slice(4, 5));
      const posted = await another.post(id, answerOf('ann'));
      assert.equal(posted.type, 'left');
      await session[Symbol.asyncDispose]();
      assert.equal(await worklist.rest(session), false);
      await using again = await claimedBy(worklist);
      assert.equal((await again.answers().take())?.id, question.id);
    },
  ),

  promiseWhere(
    'a queued answer makes its session due, no matter what the writer appends afterwards (F1)',
    ({ store }) => store.capabilities.worklist,
    async (worklist, { store, another }) => {
      const id = await waiting(store);
      {
        await using held = await store.open(id, 'write');
        const posted = await another.post(id, answerOf('ann'));
        assert.equal(posted.type, 'left');
        const rule = { effect: 'allow', tool: 'look', toolDigest: 'd' } as const;
        await held.append([{ type: 'rule-added', rule, by: answerOf('bob').by }]);
      }
      await using session = await claimedBy(worklist);
      assert.deepEqual(await session.answers().take(), answerOf('ann'));
    },
  ),

  promiseWhere(
    'a session that fails is retried later and does not block others',
    ({ store }) => store.capabilities.worklist,
    async (worklist, { store }) => {
      const id = await filled(store, transferTurn().slice(0, 4));
      await using session = await claimedBy(worklist);
      await session[Symbol.asyncDispose]();
      await worklist.postpone(session, FAILED);
      assert.equal(await worklist.claim(once(200)), undefined);
      const other = await filled(store, [...transferTurn().slice(0, 5), approved(question)]);
      assert.equal((await closed(claimedBy(worklist))).id, other);
      assert.deepEqual(await collect(worklist.failing()), []);
      assert.equal((await store.open(id, 'read')).state.ended, undefined);
    },
  ),

  promiseWhere(
    'a session that no worker here can run stays unchanged, however often it was examined (F2)',
    ({ store, another }) => store.capabilities.worklist && another.capabilities.worklist,
    async (worklist, { store, another }) => {
      const id = await filled(store, transferTurn().slice(0, 4));
      for (let looks = 0; looks < MANY_LOOKS; looks += 1) {
        const session = await closed(claimedBy(worklist));
        assert.equal(session.id, id);
        await worklist.leave(session);
      }
      assert.deepEqual(await collect(worklist.failing()), []);
      assert.equal((await closed(claimedBy(another.capabilities.worklist ?? worklist))).id, id);
    },
  ),

  promiseWhere(
    'a worker that lost a session cannot postpone it (F4)',
    ({ store, takeAway }) => takeAway && store.capabilities.worklist,
    async (worklist, { store, another, takeAway }) => {
      const id = await filled(store, transferTurn().slice(0, 5));
      await another.post(id, answerOf('ann'));
      const lost = await claimedBy(worklist);
      await takeAway?.(id);
      await closed(another.open(id, 'write'));
      await worklist.postpone(lost, FAILED);
      assert.equal(await worklist.rest(lost), false);
      assert.equal((await closed(claimedBy(worklist))).id, id);
    },
  ),

  promiseWhere(
    'a worker can leave a session to others',
    ({ store, another }) => store.capabilities.worklist && another.capabilities.worklist,
    async (worklist, { store, another }) => {
      const id = await filled(store, transferTurn().slice(0, 4));
      assert.equal(await worklist.claim(once(), { without: () => new Set([id]) }), undefined);
      assert.equal((await closed(claimedBy(another.capabilities.worklist ?? worklist))).id, id);
      assert.equal((await store.open(id, 'read')).state.agent?.model, agent.model);
    },
  ),

  promiseWhere(
    'a worker gets a session that it cannot run only if a timer in it has expired (F2)',
    ({ store }) => store.capabilities.worklist,
    async (worklist, { store }) => {
      const left = await filled(store, transferTurn().slice(0, 4));
      const { kind, path, source, payload, raisedAt } = question;
      const interrupt = makeInterrupt(
        { kind, source, payload, timeoutMs: 1_000, onTimeout: { action: 'reject' } },
        { id: question.id, path, raisedAt },
      );
      const over = await filled(store, [
        ...transferTurn().slice(0, 4),
        { type: 'interrupt-raised', interrupt },
      ]);
      const lacking = () => ({ sessions: new Set([left, over]), needs: new Set<string>() });
      await using session = await worklist.claim(soon(), { lacking });
      assert.equal(session?.id, over);
      assert.equal(await worklist.claim(once(), { lacking }), undefined);
    },
  ),
];

async function claimedBy(worklist: Worklist): Promise<Session> {
  const session = await worklist.claim(soon());
  assert.ok(session !== undefined, 'nothing was due');
  return session;
}
