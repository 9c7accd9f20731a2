import { expect, test } from 'vitest';

import { pickRows } from '../../commands/store/pick-session.js';
import type { SessionId, SessionStore } from '../../src/core/index.js';
import { AppendList, emptyState, HitlError } from '../../src/core/index.js';
import { openInterrupt } from '../human/terminal-harness.js';

const now = Date.parse('2026-01-02T04:00:00Z');

/** A store of two sessions, of which the second cannot be read. */
function storeOfTwo(): SessionStore {
  const summary = { turns: 1, createdAt: '', updatedAt: '2026-01-02T03:43:00Z' };
  const entries = AppendList.of([
    { message: { role: 'user', content: [{ type: 'text', text: 'look at the balance' }] } },
  ]);
  return {
    async *waiting() {
      await Promise.resolve();
      yield { session: 'one', title: '', interrupt: openInterrupt() };
    },
    async *list() {
      await Promise.resolve();
      yield { ...summary, id: 'one', title: 'Rent', status: 'waiting', waiting: 1 };
      yield { ...summary, id: 'two', title: 'Taxes\u001b[2J', status: 'done', waiting: 0 };
    },
    open: (id: SessionId) =>
      id === ('two' as SessionId)
        ? Promise.reject(new HitlError('SESSION_DAMAGED', 'it is damaged'))
        : Promise.resolve({
            state: { ...emptyState(), cwd: '/home/ann/shop', entries },
            [Symbol.asyncDispose]: () => Promise.resolve(),
          }),
  } as unknown as SessionStore;
}

test('a list to resume from shows what waits, and is found by id, folder and last words', async () => {
  expect(await pickRows(storeOfTwo(), now)).toEqual([
    {
      value: 'one',
      facts: ['waiting(1)', '17 min ago'],
      text: 'Rent',
      below: ['? transferMoney  ABC123, 200 · the amount is over 100'],
      words: 'one /home/ann/shop  look at the balance',
    },
    { value: 'two', facts: ['done', '17 min ago'], text: 'Taxes\u001b[2J', words: 'two ' },
  ]);
});
