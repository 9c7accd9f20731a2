import assert from 'node:assert/strict';

import { isHitlError } from '../../core/index.js';
import { agent, replied, said } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import {
  closed,
  contentOf,
  filled,
  onlyOne,
  promise,
  promiseWhere,
  refused,
  sessionId,
} from './store-case.js';

/**
 * Cases for writing: only one process writes at a time, and a process that lost its lock can no longer write.
 */
export const writingCases: readonly StoreCase[] = [
  promise(
    'a session has one writer at a time and cannot be removed while it is being written',
    async ({ store, another }) => {
      const first = await store.create({ agent });
      await refused(another.open(first.id, 'write'), 'SESSION_LOCKED');
      await refused(store.open(first.id, 'write'), 'SESSION_LOCKED');
      await refused(another.remove(first.id), 'SESSION_LOCKED');
      await first[Symbol.asyncDispose]();
      await using second = await another.open(first.id, 'write');
      assert.equal(second.mode, 'write');
    },
  ),

  promise('only one of several simultaneous opens for writing succeeds', async ({ store, another }) => {
    const { id } = await closed(store.create({ agent }));
    const winner = await onlyOne(
      [store, another, store, another].map((each) => each.open(id, 'write')),
      'SESSION_LOCKED',
    );
    await winner.append([said('mine')]);
    await winner[Symbol.asyncDispose]();
    assert.deepEqual(await contentOf(store, id), [said('mine')]);
  }),

  promise('every process can tell whether a session has a writer', async ({ store, another }) => {
    const session = await store.create({ agent });
    assert.deepEqual([await store.isWritten(session.id), await another.isWritten(session.id)], [true, true]);
    await session[Symbol.asyncDispose]();
    assert.deepEqual(
      [await store.isWritten(session.id), await another.isWritten(session.id)],
      [false, false],
    );
  }),

  promise(
    'readers do not block a writer, and a writer does not block readers',
    async ({ store, another }) => {
      const id = await filled(store, [said('a')]);
      await using reader = await another.open(id, 'read');
      await using writer = await store.open(id, 'write');
      await using late = await another.open(id, 'read');
      await writer.append([replied('b')]);
      assert.equal(await another.isWritten(id), true);
      assert.deepEqual([reader.version, late.version, writer.version], [3, 3, 5]);
    },
  ),

  promise('a failed open does not block others', async ({ store, another }) => {
    const id = sessionId('rent-2026');
    await refused(store.open(id, 'write'), 'SESSION_NOT_FOUND');
    const session = await another.create({ agent, id });
    await refused(store.open(id, 'write'), 'SESSION_LOCKED');
    await session[Symbol.asyncDispose]();
    await closed(store.open(id, 'write'));
    assert.equal(await another.isWritten(id), false);
  }),

  promise('the next writer continues where the last one stopped', async ({ store, another }) => {
    const { id } = await closed(store.create({ agent }));
    const texts = ['a', 'b', 'c', 'd'];
    for (const [index, text] of texts.entries()) {
      const session = await (index % 2 === 0 ? store : another).open(id, 'write');
      await session.append([said(text)]);
      await session[Symbol.asyncDispose]();
    }
    assert.deepEqual(await contentOf(store, id), texts.map(said));
  }),

  promise('a writer that keeps its lock is not told that it lost it', async ({ store, another }) => {
    await using session = await store.create({ agent });
    await refused(another.open(session.id, 'write'), 'SESSION_LOCKED');
    await session.append([said('a')]);
    assert.equal(session.lost.aborted, false);
  }),

  promiseWhere(
    'a writer that lost its lock writes nothing more and is notified',
    ({ takeAway }) => takeAway,
    async (takeAway, { store, another }) => {
      const first = await store.create({ agent });
      await first.append([said('first')]);
      await takeAway(first.id);
      const second = await another.open(first.id, 'write');
      await second.append([said('second')]);

      const failed = await first.append([said('late')]).catch((error: unknown) => error);
      assert.ok(isHitlError(failed) && failed.code === 'VERSION_CONFLICT', String(failed));
      assert.equal(first.lost.aborted, true);
      assert.equal(second.lost.aborted, false);
      await first[Symbol.asyncDispose]();
      await second.append([said('third')]);
      await second[Symbol.asyncDispose]();
      assert.deepEqual(await contentOf(store, first.id), ['first', 'second', 'third'].map(said));
    },
  ),

  promiseWhere(
    'a writer that lost its lock does not release the new lock when it closes',
    ({ takeAway }) => takeAway,
    async (takeAway, { store, another }) => {
      const first = await store.create({ agent });
      await takeAway(first.id);
      await using second = await another.open(first.id, 'write');
      await first[Symbol.asyncDispose]();
      assert.equal(await store.isWritten(first.id), true);
      await refused(store.open(first.id, 'write'), 'SESSION_LOCKED');
      await second.append([said('mine')]);
      assert.equal(second.lost.aborted, false);
    },
  ),
];
