import { describe, expect, test } from 'vitest';

import type { Session, SessionEvent, SessionId, SessionStore, StoredEvent } from '../../src/core/index.js';
import { fold, isSessionId } from '../../src/core/index.js';
import { agent, done, replied, said, started, transferTurn } from '../sessions/sample-events.js';

async function eventsOf(session: Session): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  for await (const stored of session.events()) events.push(stored);
  return events;
}

async function listOf(store: SessionStore): Promise<unknown[]> {
  const list: unknown[] = [];
  for await (const summary of store.list()) list.push(summary);
  return list;
}

function sessionId(text: string): SessionId {
  if (!isSessionId(text)) throw new Error(`no id: ${text}`);
  return text;
}

/** What every store of sessions does; `makeStore` gives an empty one. */
export function sessionStoreContract(name: string, makeStore: () => SessionStore): void {
  describe(`${name} as a session store`, () => {
    test('creates a session with its first events durable', async () => {
      const store = makeStore();
      await using session = await store.create({ agent, title: 'Rent', cwd: '/home/ann' });
      expect(session.mode).toBe('write');
      expect(session.version).toBe(2);
      expect((await eventsOf(session)).map(({ v, seq, scope, event }) => [v, seq, scope, event])).toEqual([
        [1, 1, '', { type: 'session-created', agent, title: 'Rent', cwd: '/home/ann' }],
        [1, 2, '', { type: 'session-opened', epoch: 1, pid: expect.any(Number), host: expect.any(String) }],
      ]);
    });

    test('gives back what was appended, in order, as the same state', async () => {
      const store = makeStore();
      const events = transferTurn();
      const session = await store.create({ agent });
      for (const event of events) await session.append([event]);
      const { state, version } = session;
      await session[Symbol.asyncDispose]();

      await using read = await store.open(session.id, 'read');
      const stored = await eventsOf(read);
      expect(read.version).toBe(version);
      expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, index) => index + 1));
      expect(stored.slice(2).map(({ event }) => event)).toEqual(events);
      expect(read.state).toEqual(state);
      expect(read.state).toEqual(fold(stored.map(({ event }) => event)));
    });

    test('chains the records', async () => {
      const store = makeStore();
      await using session = await store.create({ agent });
      await session.append([said('a'), replied('b')]);
      const prevs = (await eventsOf(session)).map(({ prev }) => prev);
      expect(prevs[0]).toBe('0000000000000000');
      expect(new Set(prevs).size).toBe(prevs.length);
      expect(prevs.filter((prev) => !/^[0-9a-f]{16}$/.test(prev))).toEqual([]);
    });

    test('counts an epoch for each writer that appends, and none for one that only looks (G24)', async () => {
      const store = makeStore();
      const { id } = await closed(store.create({ agent }));
      await closed(store.open(id, 'write'));
      const second = await store.open(id, 'write');
      await second.append([said('hello')]);
      expect(second.version).toBe(4);
      expect(second.state.writer?.epoch).toBe(2);
      await second[Symbol.asyncDispose]();
    });

    test('keeps the order of appends that nobody waited for', async () => {
      const store = makeStore();
      await using session = await store.create({ agent });
      const texts = Array.from({ length: 50 }, (_, index) => `message ${index}`);
      await Promise.all(texts.map((text) => session.append([said(text)])));
      const stored = await eventsOf(session);
      expect(stored.slice(2).map(({ event }) => event)).toEqual(texts.map(said));
      expect(session.state.turns).toBe(50);
    });

    test('counts what was appended lazily at once, in order with the rest', async () => {
      const store = makeStore();
      const session = await store.create({ agent });
      const lazy = session.append([said('a')], { lazily: true });
      expect([session.version, session.state.turns]).toEqual([3, 1]);
      const next = session.append([replied('b')]);
      expect(session.version).toBe(4);
      await Promise.all([lazy, next]);
      const last = session.append([said('c')], { lazily: true });
      await session[Symbol.asyncDispose]();
      await last;
      await using read = await store.open(session.id, 'read');
      const stored = await eventsOf(read);
      expect(stored.slice(2).map(({ event }) => event)).toEqual([said('a'), replied('b'), said('c')]);
    });

    test('refuses an event that does not fit, and writes nothing of its batch', async () => {
      const store = makeStore();
      await using session = await store.create({ agent });
      const { version, state } = session;
      const batch: readonly SessionEvent[] = [said('hello'), started('nowhere', 1, { amount: 1 })];
      await expect(session.append(batch)).rejects.toMatchObject({ code: 'ILLEGAL_EVENT' });
      expect(session.version).toBe(version);
      expect(session.state).toEqual(state);
      await session.append([said('again')]);
      expect(session.version).toBe(version + 1);
    });

    test('does nothing for an empty append', async () => {
      const store = makeStore();
      const { id } = await closed(store.create({ agent }));
      await using session = await store.open(id, 'write');
      await session.append([]);
      expect(session.version).toBe(2);
    });

    test('refuses to write through a reader', async () => {
      const store = makeStore();
      const { id } = await closed(store.create({ agent }));
      await using reader = await store.open(id, 'read');
      await expect(reader.append([said('hello')])).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(reader.version).toBe(2);
    });

    test('shows a reader the session as it was when it was opened', async () => {
      const store = makeStore();
      await using writer = await store.create({ agent });
      await using reader = await store.open(writer.id, 'read');
      await writer.append([said('hello')]);
      expect(reader.version).toBe(2);
      expect(reader.state.turns).toBe(0);
      expect(await eventsOf(reader)).toHaveLength(2);
    });

    test('lets one writer in at a time (G23)', async () => {
      const store = makeStore();
      const first = await store.create({ agent });
      await expect(store.open(first.id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
      await expect(store.remove(first.id)).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
      await first[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
      await using second = await store.open(first.id, 'write');
      expect(second.mode).toBe('write');
    });

    test('refuses to append to a closed session', async () => {
      const store = makeStore();
      const session = await closed(store.create({ agent }));
      await expect(session.append([said('late')])).rejects.toMatchObject({ code: 'INTERNAL' });
    });

    test('takes a given id once', async () => {
      const store = makeStore();
      const id = sessionId('rent-2026');
      const session = await closed(store.create({ agent, id }));
      expect(session.id).toBe(id);
      await expect(store.create({ agent, id })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
      await using again = await store.open(id, 'read');
      expect(again.version).toBe(2);
    });

    test.for(['', 'A', '../etc', 'a/b', '-x', '.hidden', 'a\0b', 'x'.repeat(65), 'é'])(
      'refuses the id %j (G32)',
      async (text) => {
        const store = makeStore();
        const id = text as SessionId;
        const refused = { code: 'SESSION_ID' };
        await expect(store.create({ agent, id })).rejects.toMatchObject(refused);
        await expect(store.open(id, 'read')).rejects.toMatchObject(refused);
        await expect(store.open(id, 'write')).rejects.toMatchObject(refused);
        await expect(store.remove(id)).rejects.toMatchObject(refused);
        expect(await listOf(store)).toEqual([]);
      },
    );

    test('knows no session that was not created', async () => {
      const store = makeStore();
      const missing = { code: 'SESSION_NOT_FOUND' };
      await expect(store.open(sessionId('nobody'), 'read')).rejects.toMatchObject(missing);
      await expect(store.open(sessionId('nobody'), 'write')).rejects.toMatchObject(missing);
      await expect(store.remove(sessionId('nobody'))).rejects.toMatchObject(missing);
    });

    test('removes a session', async () => {
      const store = makeStore();
      const kept = await closed(store.create({ agent }));
      const gone = await closed(store.create({ agent }));
      await store.remove(gone.id);
      await expect(store.open(gone.id, 'read')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
      expect(await listOf(store)).toMatchObject([{ id: kept.id }]);
    });

    test('lists the last changed session first', async () => {
      const store = makeStore();
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

      const times = { createdAt: expect.any(String), updatedAt: expect.any(String) };
      expect(await listOf(store)).toEqual([
        { id: finished, title: 'Transfer 200 to Ann', status: 'running', waiting: 0, turns: 2, ...times },
        { id: fresh.id, title: 'Nothing yet', status: 'done', waiting: 0, turns: 0, ...times },
        { id: failed, title: '', status: 'failed', waiting: 0, turns: 0, ...times },
        { id: cut, title: `${'x'.repeat(59)}…`, status: 'interrupted', waiting: 0, turns: 1, ...times },
        { id: asked, title: 'First words', status: 'waiting', waiting: 1, turns: 1, ...times },
      ]);
    });
  });
}

async function closed(opening: Promise<Session>): Promise<Session> {
  const session = await opening;
  await session[Symbol.asyncDispose]();
  return session;
}

async function filled(store: SessionStore, events: readonly SessionEvent[]): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(events);
  return session.id;
}
