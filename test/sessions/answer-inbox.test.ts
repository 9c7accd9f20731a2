import { appendFileSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sealLine } from '../../sessions/format/codec.js';
import type { FileStore } from '../../sessions/index.js';
import type { Answer, Message, SessionEvent, SessionId } from '../../src/core/index.js';
import { makeInterrupt } from '../../src/core/index.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { agent, approved, called, confirmation, said, started, transferTurn } from './sample-events.js';
import { leave, temporaryStore } from './temporary-store.js';

const input = { amount: 200 };
const interrupt = confirmation('i1', 'a', input);

function answer(name: string, action: 'restart' | 'cancel' = 'restart'): Answer {
  const { id, digest } = interrupt;
  return { id, digest, resolution: { action }, by: { type: 'person', name, via: 'library' } };
}

function resolvedBy({ id, digest, resolution, by }: Answer): SessionEvent & { type: 'interrupt-resolved' } {
  const resolvedAt = '2026-01-02T03:05:00.000Z';
  return { type: 'interrupt-resolved', id, digest, resolution, by, resolvedAt };
}

async function waitingSession(store: FileStore): Promise<SessionId> {
  await using session = await store.create({ agent });
  await session.append(transferTurn().slice(0, 5));
  return session.id;
}

function never(): AbortSignal {
  return AbortSignal.timeout(20_000);
}

describe('an answer posted by another process', () => {
  test('is handed to the writer that opens the session later, and to its successor if it was not used', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await leave(store, id, answer('ann'), never());
    {
      await using crashed = await store.open(id, 'write');
      expect(await crashed.answers().take()).toEqual(answer('ann'));
    }
    await using session = await store.open(id, 'write');
    const inbox = session.answers();
    expect(await inbox.take()).toEqual(answer('ann'));
    expect(await inbox.take()).toBeUndefined();
    await session.append([resolvedBy(answer('ann'))]);
    expect(await session.answers().take()).toBeUndefined();
  });

  test('reaches a writer that waits', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const next = session.answers().next(never());
    await leave(store, id, answer('ann'), never());
    expect(await next).toEqual(answer('ann'));
  });

  test('lets a writer that waits be called off', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const stop = new AbortController();
    const next = session.answers().next(stop.signal);
    stop.abort(new Error('enough'));
    await expect(next).rejects.toThrow('enough');
  });

  test('is told that it was used', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const posted = await leave(store, id, answer('ann'), never());
    const fate = store.fate(posted, never());
    await session.append([resolvedBy(answer('ann'))]);
    const { resolution, by } = answer('ann');
    const expected = { interrupt, resolution, by, resolvedAt: '2026-01-02T03:05:00.000Z' };
    expect(await fate).toEqual({ type: 'used', resolved: expected });
  });

  test('is told that its edit was used, though the writer bound it to what its call would do', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const edit = { ...answer('ann'), resolution: { action: 'restart', input: { amount: 120 } } } as const;
    const posted = await leave(store, id, edit, never());
    const fate = store.fate(posted, never());
    const bound = { ...edit.resolution, shown: { input: { amount: 120 }, request: {} } };
    await session.append([resolvedBy({ ...edit, resolution: bound })]);
    expect(await fate).toMatchObject({ type: 'used', resolved: { resolution: bound, by: edit.by } });
  });

  test('is told by its receipt whether it was used, whatever the writer made of it, and not by being alike', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const [first, twin] = [
      await leave(store, id, answer('ann'), never()),
      await leave(store, id, answer('ann'), never()),
    ];
    const inbox = session.answers();
    const receipt = inbox.receiptOf!((await inbox.take())!);
    expect(receipt).toBe(first.receipt);
    const changed = { action: 'restart', metadata: { noted: 'by the writer' } } as const;
    await session.append([{ ...resolvedBy({ ...answer('ann'), resolution: changed }), receipt: receipt! }]);
    expect(await store.fate(first, never())).toMatchObject({ type: 'used', resolved: { receipt } });
    expect(await store.fate(twin, never())).toMatchObject({ type: 'refused' });
  });

  test('is refused under a name that another answer has, whether that lies there or was recorded', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const receipt = 'r1';
    const post = (one: Answer) => store.post(id, one, { receipt });
    {
      await using _writer = await store.open(id, 'write');
      expect(await post(answer('ann'))).toMatchObject({ type: 'left', receipt });
      expect(await post(answer('ann'))).toMatchObject({ type: 'left', receipt });
      const another = { code: 'BAD_ANSWER', message: 'receipt `r1` belongs to a different answer' };
      await expect(post(answer('bob'))).rejects.toMatchObject(another);
      await expect(post(answer('ann', 'cancel'))).rejects.toMatchObject(another);
    }
    const fresh = await waitingSession(store);
    expect(await store.post(fresh, answer('ann'), { receipt })).toMatchObject({ type: 'recorded' });
    expect(await store.post(fresh, answer('ann'), { receipt })).toMatchObject({ type: 'recorded' });
    for (const other of [answer('bob'), answer('ann', 'cancel')])
      await expect(store.post(fresh, other, { receipt })).rejects.toMatchObject({ code: 'ALREADY_ANSWERED' });
  });

  test('is handed out under the name of a vote that stands about another question', async () => {
    const store = temporaryStore();
    const { id: _id, digest: _digest, allowed: _allowed, raisedAt, path: at, ...draft } = interrupt;
    const shared = makeInterrupt(
      { ...draft, approvers: { need: 2 } },
      { id: interrupt.id, path: at, raisedAt },
    );
    const second = confirmation('i2', 'b', input);
    const requests = ['a', 'b'].map((ref) => called(ref, input)) as readonly { message: Message }[];
    const content = requests.flatMap(({ message }) => message.content);
    const asked: SessionEvent = { ...called('a', input), message: { role: 'model', content } } as never;
    const session = await store.create({ agent });
    const { id } = session;
    await session.append([said('x'), asked, started('a', 1, input), started('b', 1, input)]);
    for (const one of [shared, second]) await session.append([{ type: 'interrupt-raised', interrupt: one }]);
    await session[Symbol.asyncDispose]();
    const posted = await store.post(id, { ...answer('ann'), digest: shared.digest }, { receipt: 'r1' });
    expect(posted).toMatchObject({ type: 'voted' });
    await using writer = await store.open(id, 'write');
    const other = { ...answer('ann'), id: second.id, digest: second.digest };
    expect(await store.post(id, other, { receipt: 'r1' })).toMatchObject({ type: 'left' });
    expect(await writer.answers().take()).toEqual(other);
  });

  test('is told who was faster (G16)', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const late = await leave(store, id, answer('bob', 'cancel'), never());
    await using session = await store.open(id, 'write');
    await session.append([approved(interrupt)]);
    expect(await session.answers().take()).toBeUndefined();
    expect(await store.fate(late, never())).toMatchObject({
      type: 'refused',
      why: 'already approved by ann at 2026-01-02 03:05 UTC',
    });
  });

  test('is told why it was refused, and is not handed out again', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const posted = await leave(store, id, answer('ann'), never());
    {
      await using session = await store.open(id, 'write');
      const inbox = session.answers();
      const taken = await inbox.take();
      await inbox.refuse(taken!, 'amount: expected number');
      await inbox.refuse(answer('somebody'), 'never posted');
    }
    expect(await store.fate(posted, never())).toEqual({
      type: 'refused',
      why: 'amount: expected number',
    });
    await using again = await store.open(id, 'write');
    expect(await again.answers().take()).toBeUndefined();
  });

  test('waits behind an earlier one for the same interrupt', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await leave(store, id, answer('ann'), never());
    const second = await leave(store, id, answer('bob'), never());
    await using session = await store.open(id, 'write');
    const inbox = session.answers();
    const first = await inbox.take();
    expect(first).toEqual(answer('ann'));
    await session.append([resolvedBy(first!)]);
    expect(await inbox.take()).toBeUndefined();
    expect(await store.fate(second, never())).toMatchObject({ type: 'refused' });
  });

  test('is refused at once where it cannot count', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const post = (given: Answer): Promise<unknown> => leave(store, id, given, never());
    await expect(post({ ...answer('ann'), digest: '0' })).rejects.toMatchObject({ code: 'BAD_ANSWER' });
    await expect(post({ ...answer('ann'), resolution: { action: 'pause' } })).rejects.toMatchObject({
      code: 'BAD_ANSWER',
      hint: 'valid actions: restart, reject, respond, cancel',
    });
    await expect(post({ ...answer('ann'), id: 'i9' as Answer['id'] })).rejects.toMatchObject({
      code: 'INTERRUPT_NOT_FOUND',
      hint: 'open: i1',
    });
    {
      await using session = await store.open(id, 'write');
      await session.append([approved(interrupt)]);
    }
    await expect(post(answer('bob'))).rejects.toMatchObject({
      code: 'ALREADY_ANSWERED',
      message: 'interrupt i1 was already approved by ann at 2026-01-02 03:05 UTC',
    });
  });

  test('survives a fragment that a dying process left in the inbox', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const inboxFile = path.join(store.root, id, 'inbox.jsonl');
    await leave(store, id, answer('ann'), never());
    const whole = readFileSync(inboxFile);
    writeFileSync(inboxFile, whole.subarray(0, 40));
    await leave(store, id, answer('bob'), never());
    await using session = await store.open(id, 'write');
    expect(await session.answers().take()).toEqual(answer('bob'));
  });

  test('with a wrong checksum counts for nothing', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const inboxFile = path.join(store.root, id, 'inbox.jsonl');
    await leave(store, id, answer('ann'), never());
    writeFileSync(inboxFile, readFileSync(inboxFile, 'utf8').replace('"ann"', '"eve"'));
    appendFileSync(inboxFile, '{"v":1,"type":"answer"}\n');
    await using session = await store.open(id, 'write');
    expect(await session.answers().take()).toBeUndefined();
  });

  test('is kept in a file that nobody else can read (G32)', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await leave(store, id, answer('ann'), never());
    const modes = ['inbox.jsonl', 'inbox.lock'].map(
      (name) => statSync(path.join(store.root, id, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600]);
  });

  test('waits for others to finish theirs, but not for ever', async () => {
    const made = temporaryStore();
    const id = await waitingSession(made);
    const busy = (times: number): FileStore => {
      let left = times;
      return temporaryStore({ root: made.root, lockHelpers: [() => ((left -= 1) < 0 ? 'locked' : 'held')] });
    };
    await leave(busy(3), id, answer('ann'), never());
    await expect(leave(busy(1000), id, answer('bob'), never())).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
    });
    await expect(leave(busy(1000), id, answer('bob'), AbortSignal.abort())).rejects.toThrow();
  });

  test('of a later version, or of none, is passed over', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const inboxFile = path.join(store.root, id, 'inbox.jsonl');
    const good = { v: 1, type: 'answer', receipt: 'r', at: '', answer: answer('ann') };
    const records: object[] = [
      { ...good, v: 3 },
      { ...good, receipt: 1 },
      { ...good, type: 'question' },
      { ...good, answer: 'yes' },
      { ...good, answer: { ...answer('ann'), id: 1 } },
      { ...good, answer: { ...answer('ann'), resolution: 'restart' } },
      { ...good, answer: { ...answer('ann'), resolution: {} } },
      { ...good, answer: { ...answer('ann'), by: null } },
      { v: 1, type: 'refusal', receipt: 'r' },
    ];
    for (const record of records) appendFileSync(inboxFile, sealLine(JSON.stringify(record).slice(0, -1)));
    await using session = await store.open(id, 'write');
    expect(await session.answers().take()).toBeUndefined();
    appendFileSync(inboxFile, sealLine(JSON.stringify(good).slice(0, -1)));
    expect(await session.answers().take()).toEqual(answer('ann'));
  });

  test('is told who was faster, also where nobody noted when', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const late = await leave(store, id, answer('bob'), never());
    await using session = await store.open(id, 'write');
    const { resolvedAt: _resolvedAt, ...untimed } = resolvedBy(answer('ann')) as { resolvedAt: string };
    await session.append([untimed as SessionEvent]);
    expect(await store.fate(late, never())).toMatchObject({
      type: 'refused',
      why: 'already approved by ann',
    });
  });

  test('has no fate where its session is gone', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const posted = await leave(store, id, answer('bob'), never());
    await store.remove(id);
    await expect(store.fate(posted, never())).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('that a rule had made needless is told so', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    await using session = await store.open(id, 'write');
    const by = { type: 'rule', rule: 'small amounts' } as const;
    await session.append([resolvedBy({ ...answer('ann'), by })]);
    await expect(leave(store, id, answer('bob'), never())).rejects.toMatchObject({
      message: expect.stringContaining('already approved by the rule small amounts at'),
    });
    await expect(
      leave(store, id, { ...answer('bob'), id: 'i9' as Answer['id'] }, never()),
    ).rejects.toMatchObject({
      code: 'INTERRUPT_NOT_FOUND',
      hint: 'this session has no open questions',
    });
  });

  test('cannot be taken from an inbox that cannot be read', async () => {
    const made = temporaryStore();
    const id = await waitingSession(made);
    await leave(made, id, answer('ann'), never());
    const fs = faultyFileSystem();
    const { open } = fs;
    fs.open = (file, flags, mode) => {
      if (file.endsWith('inbox.jsonl')) throw errnoError('EACCES');
      return open(file, flags, mode);
    };
    const store = temporaryStore({ root: made.root, fs });
    await using session = await store.open(id, 'write');
    await expect(session.answers().take()).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
  });

  test('is not taken from a link', async () => {
    const store = temporaryStore();
    const id = await waitingSession(store);
    const elsewhere = path.join(store.root, 'elsewhere');
    writeFileSync(elsewhere, 'x');
    symlinkSync(elsewhere, path.join(store.root, id, 'inbox.jsonl'));
    await expect(leave(store, id, answer('ann'), never())).rejects.toMatchObject({
      code: 'SESSION_UNSAFE',
    });
    await using session = await store.open(id, 'write');
    await expect(session.answers().take()).rejects.toMatchObject({ code: 'SESSION_UNSAFE' });
  });
});
