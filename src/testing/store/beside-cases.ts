import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import type { SessionId, SessionStore, StoreChange } from '../../core/index.js';
import { sha256 } from '../../core/index.js';
import { agent, approved, done, said, transferTurn } from './sample-events.js';
import type { StoreCase } from './store-case.js';
import {
  closed,
  collect,
  promise,
  promiseWhere,
  question,
  refused,
  sessionId,
  soon,
  waiting,
} from './store-case.js';

/** Watches the store while some work runs, until it reports a change to the session. */
async function toldWhile(
  store: SessionStore,
  what: StoreChange['what'],
  act: () => Promise<SessionId>,
): Promise<void> {
  const told: string[] = [];
  const acting = (async (): Promise<SessionId> => {
    while (told.length === 0) {
      await closed(store.create({ agent })); // until it is told of one of these
      await sleep(20);
    }
    return act();
  })();
  for await (const change of store.watch(soon())) {
    told.push(`${change.session} ${change.what}`);
    if (told.includes(`${await acting} ${what}`)) return;
  }
  assert.fail(`reported: ${told.join(', ')}; missing: ${what}`);
}

/** Cases for notifications from a store, and for its other features. */
export const besideCases: readonly StoreCase[] = [
  promise('watchers are notified of a created session', async ({ store, another }) => {
    await toldWhile(another, 'created', async () => (await closed(store.create({ agent }))).id);
  }),

  promise('watchers are notified of a new question', async ({ store, another }) => {
    const { id } = await closed(store.create({ agent }));
    await toldWhile(another, 'raised', async () => {
      await using session = await store.open(id, 'write');
      await session.append(transferTurn().slice(0, 5));
      return id;
    });
  }),

  promise('watchers are notified of an answered question', async ({ store, another }) => {
    const id = await waiting(store);
    await toldWhile(another, 'answered', async () => {
      await using session = await store.open(id, 'write');
      await session.append([approved(question)]);
      return id;
    });
  }),

  promise('watchers are notified of the end of a run', async ({ store, another }) => {
    const session = await store.create({ agent, events: [said('a')] });
    await toldWhile(another, 'ended', async () => {
      await session.append([...transferTurn().slice(1, -1), done]);
      await session[Symbol.asyncDispose]();
      return session.id;
    });
  }),

  promise('watchers are notified of a removed session', async ({ store, another }) => {
    const { id } = await closed(store.create({ agent }));
    await toldWhile(another, 'removed', async () => {
      await store.remove(id);
      return id;
    });
  }),

  promiseWhere(
    'an output is stored under its own name and can be checked by its digest',
    ({ store }) => store.capabilities.outputs,
    async (outputs, { store, another }) => {
      const { id } = await closed(store.create({ agent }));
      const text = JSON.stringify('é'.repeat(100_000));
      const name = await outputs.keep(id, text, sha256(text));
      assert.equal(await outputs.keep(id, text, sha256(text)), name);
      const other = await outputs.keep(id, '"b"', sha256('"b"'));
      assert.notEqual(other, name);
      const elsewhere = another.capabilities.outputs;
      assert.equal(await elsewhere?.digest(id, name), sha256(text));
      assert.equal(await elsewhere?.digest(id, other), sha256('"b"'));
      assert.equal(await elsewhere?.digest(id, 'nothing'), undefined);
      assert.equal(await elsewhere?.digest(sessionId('nobody'), name), undefined);
    },
  ),

  promiseWhere(
    'outputs belong to one session and are removed with it',
    ({ store }) => store.capabilities.outputs,
    async (outputs, { store, another }) => {
      const first = await closed(store.create({ agent }));
      const second = await closed(another.create({ agent }));
      const name = await outputs.keep(first.id, '"a"', sha256('"a"'));
      assert.equal(await outputs.digest(second.id, name), undefined);
      await store.remove(first.id);
      assert.equal(await outputs.digest(first.id, name), undefined);
    },
  ),

  promiseWhere(
    'a file copy is read back unchanged, belongs to one session and is removed with it',
    ({ store }) => store.capabilities.files,
    async (files, { store, another }) => {
      const first = await closed(store.create({ agent }));
      const second = await closed(another.create({ agent }));
      const bytes = Buffer.from([0, 255, 10]);
      const digest = sha256(bytes);
      assert.equal(await files.keep(first.id, bytes, digest), true);
      assert.equal(await files.keep(first.id, bytes, digest), true);
      const elsewhere = another.capabilities.files;
      assert.deepEqual(Buffer.from((await elsewhere?.read(first.id, digest)) ?? []), bytes);
      assert.equal(await files.read(first.id, sha256('other')), undefined);
      assert.equal(await files.read(second.id, digest), undefined);
      await store.remove(first.id);
      assert.equal(await files.read(first.id, digest), undefined);
    },
  ),

  promiseWhere(
    'the doctor finds no problem in an intact session and does not repair a missing one',
    ({ store }) => store.capabilities.doctor,
    async (doctor, { store }) => {
      const id = await waiting(store);
      const good = await doctor.examine(id);
      assert.deepEqual([good.id, good.status, good.remedies, good.epoch], [id, 'ok', [], 1]);
      assert.equal((await doctor.examine(sessionId('nobody'))).status, 'missing');
      assert.equal((await doctor.repair(id)).after.status, 'ok');
      await refused(doctor.repair(sessionId('nobody')), 'SESSION_NOT_FOUND');
      await using session = await store.open(id, 'write');
      assert.equal(session.state.turns, 1);
    },
  ),

  promiseWhere(
    'a session is copied byte for byte and accepted only once',
    ({ store, another }) => store.capabilities.copying && another.capabilities.copying,
    async (copying, { store }) => {
      const id = await waiting(store);
      const output = { name: await store.capabilities.outputs?.keep(id, '"a"', sha256('"a"')) };
      const given = await copying.give(id);
      assert.deepEqual(
        given.outputs.map(({ name, bytes }) => ({ name, text: Buffer.from(bytes).toString() })),
        output.name === undefined ? [] : [{ name: output.name, text: '"a"' }],
      );
      await refused(copying.take(given), 'SESSION_EXISTS');
      await store.remove(id);
      await copying.take(given);
      await refused(copying.take(given), 'SESSION_EXISTS');
      assert.deepEqual(await copying.give(id), given);
      const [item] = await collect(store.waiting());
      assert.deepEqual([item?.session, item?.interrupt], [id, question]);
      await refused(copying.give(sessionId('nobody')), 'SESSION_NOT_FOUND');
    },
  ),

  promiseWhere(
    'no part of a session with a changed or missing line is accepted',
    ({ store }) => store.capabilities.copying,
    async (copying, { store }) => {
      const id = await waiting(store);
      const given = await copying.give(id);
      await store.remove(id);
      const [first = Buffer.alloc(0), second = Buffer.alloc(0), ...others] = given.lines;
      const changed = Buffer.from(Buffer.from(second).toString().replace('"v":2', '"v":3'));
      for (const lines of [
        [first, ...others],
        [first, changed, ...others],
        [second],
        [],
        [Buffer.from('{}')],
      ])
        await refused(copying.take({ ...given, lines }), 'SESSION_DAMAGED');
      await refused(store.open(id, 'read'), 'SESSION_NOT_FOUND');
    },
  ),

  promise('the capabilities of a store do not change', async ({ store, another }) => {
    const { shared, durable } = store.capabilities;
    await closed(store.create({ agent }));
    assert.deepEqual([store.capabilities.shared, store.capabilities.durable], [shared, durable]);
    assert.deepEqual([another.capabilities.shared, another.capabilities.durable], [shared, durable]);
  }),
];
