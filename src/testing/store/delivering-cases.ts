import assert from 'node:assert/strict';

import type { Deliveries, DeliveryNote } from '../../core/index.js';
import { noteAfter, takenToRaise } from '../../core/index.js';
import type { StoreCase, Tried } from './store-case.js';
import { collect, promiseWhere, question, waiting } from './store-case.js';

interface Books {
  readonly book: Deliveries;
  /** The same as another process has it. */
  readonly other: Deliveries;
}

function booksOf({ store, another }: Tried): Books | undefined {
  const [book, other] = [store.capabilities.deliveries, another.capabilities.deliveries];
  return book === undefined || other === undefined ? undefined : { book, other };
}

const NOW = Date.UTC(2026, 0, 2);

/** The note of somebody who begins to send to `channel`. */
async function firstNote({ store }: Tried, channel = 'ops'): Promise<DeliveryNote> {
  const session = await waiting(store);
  return takenToRaise({ session, title: '', interrupt: question }, channel, { was: undefined, now: NOW });
}

function sentAfter(note: DeliveryNote): DeliveryNote {
  return noteAfter(note, { type: 'sent', reference: 'C1/17' }, { now: NOW, chance: 0 });
}

/** The promises about what is noted of messages. */
export const deliveringCases: readonly StoreCase[] = [
  promiseWhere(
    'a note about a message is found by another process',
    booksOf,
    async ({ book, other }, tried) => {
      const taken = await firstNote(tried);
      assert.equal(await book.put(taken), true);
      const failed = noteAfter(taken, { type: 'failed', why: 'HTTP 503' }, { now: NOW, chance: 0 });
      assert.equal(await other.put(failed), true);
      assert.deepEqual(await collect(book.list()), [failed]);
    },
  ),
  promiseWhere('of several who take one message one gets it', booksOf, async ({ book, other }, tried) => {
    const taken = await firstNote(tried);
    const results = await Promise.all([book, other, book, other].map((each) => each.put(taken)));
    assert.deepEqual(results.filter(Boolean), [true]);
    const later = { ...taken, revision: 2, attempts: 2 };
    const again = await Promise.all([other, book].map((each) => each.put(later)));
    assert.deepEqual(again.filter(Boolean), [true]);
    assert.deepEqual(await collect(other.list()), [later]);
  }),
  promiseWhere('a note is forgotten only as it is', booksOf, async ({ book, other }, tried) => {
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
];
