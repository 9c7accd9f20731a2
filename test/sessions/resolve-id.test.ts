import { mkdirSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import { newSessionId } from '../../sessions/index.js';
import type { SessionId } from '../../src/core/index.js';
import { isSessionId } from '../../src/core/index.js';
import { faultyFileSystem } from './faulty-file-system.js';
import { agent } from './sample-events.js';
import { temporaryStore } from './temporary-store.js';

async function storeWith(...ids: readonly string[]): Promise<FileStore & { readonly root: string }> {
  const store = temporaryStore({ fs: faultyFileSystem(), lockHelpers: [() => 'locked'] });
  for (const id of ids) {
    await using session = await store.create({ agent, id: id as SessionId });
    expect(session.id).toBe(id);
  }
  return store;
}

describe('the beginning of an id', () => {
  test('names the session whose id alone begins so', async () => {
    const store = await storeWith('rent-may', 'rent-june', 'trip');
    expect(await store.resolve('t')).toBe('trip');
    expect(await store.resolve('rent-m')).toBe('rent-may');
  });

  test('names the session of that very id, also where others begin so', async () => {
    const store = await storeWith('rent', 'rent-may');
    expect(await store.resolve('rent')).toBe('rent');
  });

  test('that is a whole id is found with two looks at the disk, however many sessions there are', async () => {
    const looks: string[] = [];
    const disk = faultyFileSystem();
    const fs = {
      ...disk,
      lookUp: (place: string) => {
        looks.push(path.basename(place));
        return disk.lookUp(place);
      },
      entries: (place: string) => {
        looks.push('every name');
        return disk.entries(place);
      },
    };
    const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
    for (const id of ['rent', 'rent-may', 'trip']) await store.create({ agent, id: id as SessionId });
    looks.length = 0;
    expect([await store.resolve('rent'), looks]).toEqual(['rent', ['.', 'journal.jsonl']]);
  });

  test('that several ids have is refused, with the ids', async () => {
    const store = await storeWith('rent-may', 'rent-june', 'trip');
    await expect(store.resolve('rent')).rejects.toThrow(
      expect.objectContaining({
        code: 'SESSION_AMBIGUOUS',
        message: 'ambiguous session id `rent`',
        hint: 'matches: rent-june, rent-may',
        detail: { candidates: ['rent-june', 'rent-may'], count: 2 },
      }),
    );
  });

  test('that very many ids have is refused, with ten of them', async () => {
    const store = await storeWith(...Array.from({ length: 13 }, (_, index) => `s${index + 10}`));
    await expect(store.resolve('s')).rejects.toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/: s10, s11, .*, s19 and 3 more$/) }),
    );
  });

  test.for([
    ['trap', 'did you mean trip?'],
    ['rant-may', 'did you mean rent-may?'],
    ['rnt', 'did you mean rent-may?'],
    ['completely-else', 'see hitl list'],
    ['x', 'see hitl list'],
  ] as const)('that no id has is refused: %s, %s', async ([text, hint]) => {
    const store = await storeWith('rent-may', 'trip');
    await expect(store.resolve(text)).rejects.toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND', message: `session not found: \`${text}\``, hint }),
    );
  });

  test.for(['', '../x', 'UPPER', '-a', 'a/b'])('that no id can have is refused: %j (G32)', async (text) => {
    const store = await storeWith('only');
    await expect(store.resolve(text)).rejects.toThrow(expect.objectContaining({ code: 'SESSION_ID' }));
  });

  test('does not name the folder of a session that was never confirmed (P0)', async () => {
    const store = await storeWith('one');
    mkdirSync(path.join(store.root, 'other'));
    await expect(store.resolve('other')).rejects.toThrow(
      expect.objectContaining({ code: 'SESSION_NOT_FOUND' }),
    );
  });
});

describe('a new id', () => {
  const zeros = (size: number): Uint8Array => new Uint8Array(size);

  test('is an id, and sorts behind earlier ones', () => {
    const times = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001, 4_000_000_000_000];
    const ids = times.map((time) => newSessionId(time, zeros));
    expect(ids.filter((id) => !isSessionId(id))).toEqual([]);
    expect(ids.toSorted()).toEqual(ids);
    expect(ids[4]).toBe('01hf7yat00000000');
  });

  test('takes its end from chance', () => {
    const id = newSessionId(0, (size) => new Uint8Array(size).fill(255));
    expect(id).toBe('0000000000zzzzzz');
  });

  test('is made again where it is taken', async () => {
    const bytes = [0, 0, 1];
    const store = temporaryStore({
      clock: { now: () => 0, sleep: () => Promise.resolve() },
      random: (size) => new Uint8Array(size).fill(bytes.shift() ?? 7),
    });
    await using first = await store.create({ agent });
    await using second = await store.create({ agent });
    expect([first.id, second.id]).toEqual(['0000000000000000', '0000000000111111']);
  });

  test('is not made for ever', async () => {
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    const store = temporaryStore({ clock, random: zeros });
    {
      await using first = await store.create({ agent });
      expect(first.version).toBe(2);
    }
    await expect(store.create({ agent })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
  });
});
