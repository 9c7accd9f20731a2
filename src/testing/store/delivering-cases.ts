import assert from 'node:assert/strict';

import type { Deliveries, DeliveryNote, DeliveryStep } from '../../core/index.js';
import { noteAfter, planDeliveries, takenToRaise } from '../../core/index.js';
import type { StoreCase, Tried } from './store-case.js';
import { answerOf, collect, promiseWhere, question, waiting } from './store-case.js';

interface Books {
  readonly book: Deliveries;
  /** The same deliveries, accessed by another process. */
  readonly other: Deliveries;
}

function booksOf({ store, another }: Tried): Books | undefined {
  const [book, other] = [store.capabilities.deliveries, another.capabilities.deliveries];
  return book === undefined || other === undefined ? undefined : { book, other };
}

const NOW = Date.UTC(2026, 0, 2);

/** Creates a waiting session, and returns its first delivery note for `channel`. */
async function firstNote({ store }: Tried, channel = 'ops'): Promise<DeliveryNote> {
  const session = await waiting(store);
  return takenToRaise({ session, title: '', interrupt: question }, channel, { was: undefined, now: NOW });
}

function sentAfter(note: DeliveryNote): DeliveryNote {
  return noteAfter(note, { type: 'sent', reference: 'C1/17' }, { now: NOW, chance: 0 });
}

/** Carries out a delivery step: records a note as sent, or deletes it. */
async function tell(book: Deliveries, step: DeliveryStep, channel: string): Promise<string> {
  if (step.type !== 'raise') {
    assert.equal(await book.drop(step.was), true);
    return `${step.type} ${step.was.session}`;
  }
  const taken = takenToRaise(step.item, channel, { was: step.was, now: NOW });
  for (const note of [taken, sentAfter(taken)]) assert.equal(await book.put(note), true);
  return `raise ${step.item.session}`;
}

/** Carries out all deliveries that are due for a channel. Returns `<type> <session>` for each step. */
async function told(book: Deliveries, name: string): Promise<readonly string[]> {
  const channel = { name, tellsResolved: true };
  const done: string[] = [];
  for await (const part of book.due(channel, NOW))
    for (const step of planDeliveries({ ...part, channel, now: NOW }).steps)
      done.push(await tell(book, step, name));
  return done;
}

/** Cases for delivery notes. */
export const deliveringCases: readonly StoreCase[] = [
  promiseWhere('a delivery note is visible to another process', booksOf, async ({ book, other }, tried) => {
    const taken = await firstNote(tried);
    assert.equal(await book.put(taken), true);
    const failed = noteAfter(taken, { type: 'failed', why: 'HTTP 503' }, { now: NOW, chance: 0 });
    assert.equal(await other.put(failed), true);
    assert.deepEqual(await collect(book.list()), [failed]);
  }),
  promiseWhere(
    'only one of several processes that take the same message gets it',
    booksOf,
    async ({ book, other }, tried) => {
      const taken = await firstNote(tried);
      const results = await Promise.all([book, other, book, other].map((each) => each.put(taken)));
      assert.deepEqual(results.filter(Boolean), [true]);
      const later = { ...taken, revision: 2, attempts: 2 };
      const again = await Promise.all([other, book].map((each) => each.put(later)));
      assert.deepEqual(again.filter(Boolean), [true]);
      assert.deepEqual(await collect(other.list()), [later]);
    },
  ),
  promiseWhere('a note is dropped only if it has not changed', booksOf, async ({ book, other }, tried) => {
    const [taken, kept] = [await firstNote(tried), await firstNote(tried, 'chat')];
    const sent = sentAfter(taken);
    for (const note of [taken, kept, sent]) assert.equal(await book.put(note), true);
    assert.equal(await other.drop(taken), false);
    assert.equal(await other.drop(sent), true);
    assert.equal(await book.drop(sent), false);
    assert.deepEqual(await collect(book.list()), [kept]);
    assert.equal(await book.put(sent), false);
    assert.equal(await book.put(taken), true);
  }),
  promiseWhere(
    'each receiver is notified of each open question once, and of its answer',
    booksOf,
    async ({ book, other }, { store }) => {
      const [first, second] = [await waiting(store), await waiting(store)];
      assert.deepEqual(await told(book, 'ops'), [`raise ${first}`, `raise ${second}`]);
      assert.deepEqual(await told(other, 'ops'), []);
      const third = await waiting(store);
      assert.deepEqual(await told(other, 'ops'), [`raise ${third}`]);
      assert.deepEqual(
        await told(other, 'chat'),
        [first, second, third].map((id) => `raise ${id}`),
      );
      await store.post(second, answerOf('ann'));
      assert.deepEqual(await told(book, 'ops'), [`resolve ${second}`]);
      assert.deepEqual(await told(book, 'chat'), [`resolve ${second}`]);
      await store.remove(first);
      assert.deepEqual(await told(other, 'ops'), [`resolve ${first}`]);
      assert.deepEqual(await told(other, 'ops'), []);
    },
  ),
];
