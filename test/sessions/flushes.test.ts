import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import type { Answer, SessionId } from '../../src/core/index.js';
import { agent, confirmation, said, transferTurn } from './sample-events.js';
import type { FaultyFileSystem } from './faulty-file-system.js';
import { faultyFileSystem } from './faulty-file-system.js';
import { heldOnce, temporaryStore } from './temporary-store.js';

interface Watched {
  readonly fs: FaultyFileSystem;
  readonly store: FileStore & { readonly root: string };
  /** What was flushed since the last call. */
  readonly flushes: () => readonly string[];
}

function watchedStore(): Watched {
  const fs = faultyFileSystem();
  let seen = 0;
  const flushes = (): readonly string[] => {
    const since = fs.flushes.slice(seen);
    seen = fs.flushes.length;
    return since;
  };
  return { fs, flushes, store: temporaryStore({ fs, lockHelpers: [() => 'locked'] }) };
}

const id = 'one' as SessionId;

/** Begun together; the journal's own, which waits for what else is written in the same breath, is the last. */
function made(name: string): readonly string[] {
  return [name, 'sessions', 'journal.jsonl'];
}

describe('what has to outlive a power cut is flushed (G1, F4)', () => {
  test('a new session with its folder, and the folder of all sessions with its own', async () => {
    const { store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    const above = path.basename(path.dirname(store.root));
    expect(flushes()).toEqual([above, ...made('one')]);
    expect(session.version).toBe(2);
    await using second = await store.create({ agent, id: 'two' as SessionId });
    expect(flushes()).toEqual(made('two'));
    expect(second.version).toBe(2);
  });

  test('an append', async () => {
    const { store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    flushes();
    await session.append([said('a'), said('b')]);
    expect(flushes()).toEqual(['journal.jsonl']);
  });

  test('appends that are lazy with the next one that is not', async () => {
    const { store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    flushes();
    const lazy = session.append([said('a')], { lazily: true });
    await session.append([said('b')]);
    await lazy;
    expect(flushes()).toEqual(['journal.jsonl']);
  });

  test('a lazy append before a transcript that tells of it', async () => {
    const { store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    flushes();
    const lazy = session.append([said('a')], { lazily: true });
    await session.saveTranscript();
    expect(flushes()).toEqual(['journal.jsonl', expect.stringMatching(/^\.transcript\.json/)]);
    await lazy;
  });

  test('a transcript before it takes its place', async () => {
    const { store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    await session.append([said('a')]);
    flushes();
    await session.saveTranscript();
    expect(flushes()).toEqual([expect.stringMatching(/^\.transcript\.json\.[0-9a-f]{16}\.tmp$/)]);
  });

  test('a torn end in its backup before it is cut', async () => {
    const { store, flushes } = watchedStore();
    {
      await using session = await store.create({ agent, id });
      expect(session.version).toBe(2);
    }
    const journal = path.join(store.root, id, 'journal.jsonl');
    writeFileSync(journal, `${readFileSync(journal, 'utf8')}half a rec`);
    flushes();
    await using session = await store.open(id, 'write');
    expect(flushes()).toEqual(['journal.jsonl.torn-1', 'one', 'journal.jsonl']);
    expect(session.notices).toHaveLength(1);
  });

  test('a newline that was missing', async () => {
    const { store, flushes } = watchedStore();
    {
      await using session = await store.create({ agent, id });
      expect(session.version).toBe(2);
    }
    const journal = path.join(store.root, id, 'journal.jsonl');
    const text = readFileSync(journal, 'utf8');
    writeFileSync(journal, text.slice(0, -1));
    flushes();
    await using session = await store.open(id, 'write');
    expect(flushes()).toEqual(['journal.jsonl']);
    expect(readFileSync(journal, 'utf8')).toBe(text);
    expect(session.version).toBe(2);
  });

  test('an answer, and its file', async () => {
    const { fs, store, flushes } = watchedStore();
    await using session = await store.create({ agent, id });
    await session.append(transferTurn().slice(0, 5));
    flushes();
    const { id: asked, digest } = confirmation('i1', 'a', { amount: 200 });
    const by = { type: 'person', name: 'ann', via: 'answer' } as const;
    const answer: Answer = { id: asked, digest, resolution: { action: 'cancel' }, by };
    const other = temporaryStore({ root: store.root, fs, lockHelpers: heldOnce() });
    await other.post(id, answer, { signal: AbortSignal.timeout(10_000) });
    expect(flushes()).toEqual(['inbox.jsonl', 'one']);
  });

  test('a removal', async () => {
    const { store, flushes } = watchedStore();
    {
      await using session = await store.create({ agent, id });
      expect(session.version).toBe(2);
    }
    flushes();
    await store.remove(id);
    expect(flushes()).toEqual(['sessions']);
    expect(readdirSync(store.root)).toEqual([]);
  });

  test('a salvaged copy', async () => {
    const { store, flushes } = watchedStore();
    {
      await using session = await store.create({ agent, id });
      await session.append([said('a'), said('b')]);
    }
    const journal = path.join(store.root, id, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').replace('"text":"a"', '"text":"x"'));
    flushes();
    const { id: copy } = await store.capabilities.doctor.salvage(id);
    expect(flushes()).toEqual([
      expect.stringMatching(/^\.journal\.jsonl\.[0-9a-f]{16}\.tmp$/),
      copy,
      'sessions',
    ]);
  });
});

test('what is only a cache is not flushed', async () => {
  const { store, flushes } = watchedStore();
  const session = await store.create({ agent, id });
  await session.append(Array.from({ length: 300 }, () => said('x')));
  flushes();
  await session[Symbol.asyncDispose]();
  for await (const summary of store.list()) expect(summary.id).toBe(id);
  expect(flushes()).toEqual([expect.stringMatching(/^\.transcript/)]);
});
