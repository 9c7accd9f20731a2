import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';

import { describe, expect, test, vi } from 'vitest';

import type { FileSession, FileStore } from '../../sessions/index.js';
import { createMemoryStore, transcriptDocument, transcriptText } from '../../sessions/index.js';
import { sessionFolder } from '../../sessions/folder/session-folder.js';
import { storeContext } from '../../sessions/folder/store-options.js';
import { TranscriptWriter } from '../../sessions/transcript-writer.js';
import type { SessionId } from '../../src/core/index.js';
import { fakeClock } from '../../src/testing/index.js';
import { agent, confirmation, replied, said, transferTurn } from './sample-events.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

function fileOf(store: { readonly root: string }, session: { readonly id: string }): string {
  return path.join(store.root, session.id, 'transcript.json');
}

/** A session as it is by now. */
async function asRead(store: FileStore, id: SessionId): Promise<FileSession> {
  await using reader = await store.open(id, 'read');
  return reader;
}

/** A turn, and the stop behind it. */
async function stop(session: FileSession, text: string): Promise<void> {
  await session.append([said(text), replied('ok')]);
  await session.saveTranscript();
}

describe('a transcript', () => {
  test('tells of a session in Genkit\u2019s words', async () => {
    const store = temporaryStore();
    const parent = { kind: 'import' } as const;
    await using session = await store.create({ agent, parent });
    await session.append([...transferTurn(), ...transferTurn('b', 'i2').slice(0, 5)]);
    const [answered, open] = [
      confirmation('i1', 'a', { amount: 200 }),
      confirmation('i2', 'b', { amount: 200 }),
    ];
    const user = { role: 'user', content: [{ text: 'Transfer 200 to Ann' }] };
    expect(transcriptDocument(session)).toEqual({
      format: 'hitl-transcript',
      version: 1,
      id: session.id,
      title: 'Transfer 200 to Ann',
      createdAt: '2026-01-02T03:00:03.000Z',
      updatedAt: expect.stringMatching(/^2026-01-02T03:00:/),
      agent,
      status: 'waiting',
      messages: [
        user,
        expect.objectContaining({ role: 'model' }),
        expect.objectContaining({ role: 'tool' }),
        { role: 'model', content: [{ text: 'Done.' }] },
        user,
        expect.objectContaining({ role: 'model' }),
      ],
      interrupts: [
        {
          ...answered,
          resolution: { action: 'restart' },
          by: { type: 'person', name: 'ann', via: 'terminal' },
          resolvedAt: '2026-01-02T03:05:00.000Z',
        },
        open,
      ],
      usage: { inputTokens: 50, outputTokens: 18 },
      parent,
    });
  });

  test('has its members in one order, and is indented text that ends in a newline', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent, parent: { kind: 'import' } });
    const text = transcriptText(session);
    expect(text).toMatch(/^\{\n {2}"format": "hitl-transcript",\n {2}"version": 1,\n[^]*\n\}\n$/);
    expect(Object.keys(JSON.parse(text) as object)).toEqual([
      ...['format', 'version', 'id', 'title', 'createdAt', 'updatedAt', 'agent', 'status'],
      ...['messages', 'interrupts', 'usage', 'parent'],
    ]);
  });

  test('can be made of a session in memory', async () => {
    const store = createMemoryStore({ clock: tickingClock(), random: randomBytes });
    await using session = await store.create({ agent });
    await session.append(transferTurn());
    expect(transcriptDocument(session)).toMatchObject({
      createdAt: '2026-01-02T03:00:02.000Z',
      updatedAt: '2026-01-02T03:00:03.000Z',
      status: 'done',
    });
  });
});

describe('transcript.json', () => {
  test('is there after a session was closed, for its owner alone', async () => {
    const store = temporaryStore();
    const session = await store.create({ agent });
    expect(existsSync(fileOf(store, session))).toBe(false);
    await session.append(transferTurn());
    await session[Symbol.asyncDispose]();
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
    expect(statSync(fileOf(store, session)).mode & 0o777).toBe(0o600);
  });

  test('is written at a stop, where something was appended', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    await session.append([said('hello')]);
    await session.saveTranscript();
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
    rmSync(fileOf(store, session));
    await session.saveTranscript();
    expect(existsSync(fileOf(store, session))).toBe(false);
  });

  test('is not written by a reader', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    await using reader = await store.open(session.id, 'read');
    await reader.saveTranscript();
    await expect(reader.rebuild()).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(existsSync(fileOf(store, session))).toBe(false);
  });

  test('that cannot be written is an error at a stop, and none when the session is closed', async () => {
    const fs = faultyFileSystem();
    const { rename } = fs;
    fs.rename = (from, to) => {
      if (to.endsWith('transcript.json')) throw errnoError('ENOSPC');
      rename(from, to);
    };
    const store = temporaryStore({ fs });
    const session = await store.create({ agent });
    await session.append([said('hello')]);
    await expect(session.saveTranscript()).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: `could not save the transcript of session ${session.id}: the disk is full`,
    });
    await session[Symbol.asyncDispose]();
    expect((await store.capabilities.doctor.examine(session.id)).entries.map(({ name }) => name)).toEqual([
      'journal.jsonl',
      'lock',
    ]);
  });

  test('shows a stop soon after another one a second later, and the latest of them', async () => {
    const clock = fakeClock();
    const store = temporaryStore({ clock });
    await using session = await store.create({ agent });
    await stop(session, 'first');
    const first = readFileSync(fileOf(store, session), 'utf8');
    await stop(session, 'second');
    await stop(session, 'third');
    expect([readFileSync(fileOf(store, session), 'utf8'), clock.sleeping]).toEqual([first, 1]);
    const latest = transcriptText(session);
    await session.append([said('not yet answered')]);
    await clock.advance(1000);
    await vi.waitFor(() => {
      expect(JSON.parse(readFileSync(fileOf(store, session), 'utf8'))).toEqual(JSON.parse(latest));
    });
    expect(clock.sleeping).toBe(0);
  });

  test('shows at once what is left to a person, and everything when the session is closed', async () => {
    const clock = fakeClock();
    const store = temporaryStore({ clock });
    const session = await store.create({ agent });
    await stop(session, 'first');
    await stop(session, 'second');
    await session.append(transferTurn().slice(0, 5));
    await session.saveTranscript();
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
    await session.append(transferTurn().slice(5));
    await session.saveTranscript();
    await session[Symbol.asyncDispose]();
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
    expect(clock.sleeping).toBe(0);
  });

  test('is written no more often than time passes, however many stops there are', async () => {
    const fs = faultyFileSystem();
    const { rename } = fs;
    let writings = 0;
    fs.rename = (from, to) => {
      if (to.endsWith('transcript.json')) writings += 1;
      rename(from, to);
    };
    const clock = fakeClock();
    const store = temporaryStore({ fs, clock });
    const session = await store.create({ agent });
    for (let n = 0; n < 50; n += 1) await stop(session, `message ${n}`);
    await session[Symbol.asyncDispose]();
    expect(writings).toBe(2);
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
  });

  test('never goes back to an earlier stop, as where its time comes while a later one is written', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    const context = storeContext({ root: store.root, clock: tickingClock(), random: randomBytes });
    const writer = new TranscriptWriter(context, sessionFolder(store.root, session.id), 0);
    await session.append([said('first'), replied('ok')]);
    const first = await asRead(store, session.id);
    await session.append([said('second'), replied('ok')]);
    await Promise.all([writer.saveNow(await asRead(store, session.id)), writer.saveNow(first)]);
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
  });

  test('that could not be written later is tried, and told, at the next stop', async () => {
    const fs = faultyFileSystem();
    const { rename } = fs;
    let isFull = false;
    fs.rename = (from, to) => {
      if (isFull && to.endsWith('transcript.json')) throw errnoError('ENOSPC');
      rename(from, to);
    };
    const clock = fakeClock();
    const store = temporaryStore({ fs, clock });
    await using session = await store.create({ agent });
    await stop(session, 'first');
    await stop(session, 'second');
    isFull = true;
    await clock.advance(1000);
    await vi.waitFor(() => expect(stop(session, 'third')).rejects.toMatchObject({ code: 'SAVE_FAILED' }));
    isFull = false;
    await stop(session, 'fourth');
    expect(readFileSync(fileOf(store, session), 'utf8')).toBe(transcriptText(session));
  });
});
