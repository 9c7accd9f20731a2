import assert from 'node:assert/strict';

import type { SessionId, SessionStore, SessionSummary } from '../../core/index.js';
import { isHitlError } from '../../core/index.js';
import { agent, done, replied, said, transferTurn } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import { closed, collect, filled, idsOf, promise, promiseWhere, refused, sessionId } from './store-case.js';

async function named(store: SessionStore, ...names: readonly string[]): Promise<readonly SessionId[]> {
  const ids = names.map(sessionId);
  for (const id of ids) await closed(store.create({ agent, id, title: `Title of ${id.toUpperCase()}` }));
  return ids;
}

/** Returns all pages of the session list. The last page is empty. */
async function pagesOf(store: SessionStore, limit: number): Promise<readonly (readonly SessionId[])[]> {
  const pages: (readonly SessionId[])[] = [];
  let before: SessionSummary | undefined;
  do {
    const page = await collect(store.list({ limit, ...(before !== undefined && { before }) }));
    pages.push(page.map(({ id }) => id));
    before = page.at(-1);
  } while (before !== undefined);
  return pages;
}

/** Cases for finding sessions by ID prefix and for listing them. */
export const findingCases: readonly StoreCase[] = [
  promise('a unique id prefix finds its session', async ({ store, another }) => {
    const [rent, tax] = await named(store, 'rent-2026', 'tax-2026');
    assert.deepEqual([await another.resolve('re'), await store.resolve('tax-2026')], [rent, tax]);
  }),

  promise('a full id finds its session, even if other ids start with it', async ({ store, another }) => {
    const [short] = await named(store, 'rent', 'rent-2026');
    assert.equal(await another.resolve('rent'), short);
  }),

  promise('an ambiguous id prefix is refused, with the matching ids', async ({ store, another }) => {
    await named(store, 'rent-2026', 'rent-2025', 'tax-2026');
    const failed = await another.resolve('rent').catch((error: unknown) => error);
    assert.ok(isHitlError(failed) && failed.code === 'SESSION_AMBIGUOUS', String(failed));
    assert.match(failed.hint ?? '', /rent-2025.*rent-2026/);
  }),

  promise('an unknown or invalid id prefix is refused', async ({ store }) => {
    const [gone] = await named(store, 'rent-2026');
    await refused(store.resolve('tax'), 'SESSION_NOT_FOUND');
    for (const text of ['', '../x', 'RENT', '-a', 'a/b']) await refused(store.resolve(text), 'SESSION_ID');
    if (gone !== undefined) await store.remove(gone);
    await refused(store.resolve('rent'), 'SESSION_NOT_FOUND');
  }),

  promise('an empty store lists no sessions and no open interrupts', async ({ store }) => {
    assert.deepEqual(await collect(store.list()), []);
    assert.deepEqual(await collect(store.waiting()), []);
    assert.equal(await store.waitingCount(), 0);
  }),

  promise(
    'a list starts with the most recently changed session and shows each in its current state',
    async ({ store, another }) => {
      const turn = transferTurn();
      const asked = await filled(store, [said('  First\n\n words '), ...turn.slice(1, 5)]);
      const finished = await filled(store, turn);
      const cut = await filled(store, [said('x'.repeat(70))]);
      const failed = await filled(store, [
        { type: 'run-ended', reason: { type: 'failed', error: { code: 'MODEL_FAILED', message: 'no' } } },
      ]);
      const fresh = await closed(store.create({ agent, title: 'Nothing yet' }));
      await using busy = await store.open(finished, 'write');
      await busy.append([said('more'), replied('yes'), done]);

      const listed = await collect(another.list());
      assert.deepEqual(
        listed.map(
          ({ createdAt: _created, updatedAt: _updated, idle: _idle, folder: _folder, ...rest }) => rest,
        ),
        [
          { id: finished, title: 'Transfer 200 to Ann', status: 'running', waiting: 0, turns: 2 },
          { id: fresh.id, title: 'Nothing yet', status: 'done', waiting: 0, turns: 0 },
          { id: failed, title: '', status: 'failed', waiting: 0, turns: 0 },
          { id: cut, title: `${'x'.repeat(59)}…`, status: 'interrupted', waiting: 0, turns: 1 },
          { id: asked, title: 'First words', status: 'waiting', waiting: 1, turns: 1 },
        ],
      );
      const times = listed.map(({ updatedAt }) => updatedAt);
      assert.deepEqual(times, [...times].sort().reverse());
    },
  ),

  promise('a list can be filtered by session status', async ({ store }) => {
    const asked = await filled(store, transferTurn().slice(0, 5));
    const finished = await filled(store, transferTurn());
    const cut = await filled(store, [said('x')]);
    for (const [status, id] of [
      ['waiting', asked],
      ['done', finished],
      ['interrupted', cut],
    ] as const)
      assert.deepEqual(await idsOf(store.list({ status })), [id]);
    assert.deepEqual(await idsOf(store.list({ status: 'failed' })), []);
    await using held = await store.open(finished, 'write');
    assert.deepEqual(await idsOf(store.list({ status: 'running' })), [held.id]);
    assert.deepEqual(await idsOf(store.list({ status: 'done' })), []);
  }),

  promise('a list can be searched by id and title, ignoring case', async ({ store, another }) => {
    const [rent, tax] = await named(store, 'rent-2026', 'tax-2025');
    assert.deepEqual(await idsOf(another.list({ search: 'RENT' })), [rent]);
    assert.deepEqual(await idsOf(another.list({ search: 'of tax' })), [tax]);
    assert.deepEqual(await idsOf(another.list({ search: 'title' })), [tax, rent]);
    assert.deepEqual(await idsOf(another.list({ search: '%' })), []);
    assert.deepEqual(await idsOf(another.list({ search: '_' })), []);
  }),

  promise('pages of a list contain each session once, in list order', async ({ store, another }) => {
    await named(store, 'a', 'b', 'c', 'd', 'e');
    const whole = await idsOf(store.list());
    const pages = await pagesOf(another, 2);
    assert.deepEqual(pages.flat(), whole);
    assert.deepEqual(
      pages.map(({ length }) => length),
      [2, 2, 1, 0],
    );
  }),

  promise(
    'a session that changes between two pages moves to the front, and no other session is lost',
    async ({ store, another }) => {
      const [a, b, c, d] = await named(store, 'a', 'b', 'c', 'd');
      const first = await collect(another.list({ limit: 2 }));
      assert.deepEqual(
        first.map(({ id }) => id),
        [d, c],
      );
      assert.ok(a !== undefined);
      await using session = await store.open(a, 'write');
      await session.append([said('again')]);
      const before = first.at(-1);
      assert.deepEqual(await idsOf(another.list({ limit: 2, ...(before !== undefined && { before }) })), [b]);
      assert.deepEqual(await idsOf(another.list({ limit: 1 })), [a]);
    },
  ),

  promiseWhere(
    'sessions are counted with the same filters as the list, ignoring the limit',
    ({ another }) => another.listCount?.bind(another),
    async (listCount, { store }) => {
      const [a] = await named(store, 'rent-2026', 'tax-2026', 'tax-2025');
      assert.equal(await listCount(), 3);
      assert.equal(await listCount({ search: 'tax', limit: 1 }), 2);
      assert.equal(await listCount({ status: 'waiting' }), 0);
      const [newest] = await collect(store.list({ limit: 1 }));
      assert.ok(newest !== undefined);
      assert.equal(await listCount({ before: newest }), 2);
      await store.remove(a ?? newest.id);
      assert.equal(await listCount(), 2);
    },
  ),

  promise('a limit counts matching sessions, not examined ones', async ({ store }) => {
    const asked = await filled(store, transferTurn().slice(0, 5));
    for (let count = 0; count < 3; count += 1) await filled(store, transferTurn());
    assert.deepEqual(await idsOf(store.list({ status: 'waiting', limit: 1 })), [asked]);
    assert.deepEqual(await idsOf(store.list({ limit: 0 })), []);
  }),
];
