// What is left of a session that was removed: nothing, whenever the process dies.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileSystem } from '../../sessions/disk/file-system.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileStore } from '../../sessions/index.js';
import { createFileStore } from '../../sessions/index.js';
import type { SessionId } from '../../src/core/index.js';
import { agent, transferTurn } from './sample-events.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { temporaryFolder, tickingClock } from './temporary-store.js';

const SECRET = 'MARIASECRET77';

/** The kernel's lock goes with the process, and this one lives on: the dead would hold it. */
const noLock = { lockHelpers: [(): 'locked' => 'locked'] };

function storeIn(root: string, fs: FileSystem = nodeFileSystem()): FileStore {
  return createFileStore({ root, fs, clock: tickingClock(), random: randomBytes, ...noLock });
}

/** Two sessions with an open question that both lists know; one of them has the word in its title and its question. */
async function made(): Promise<{ readonly root: string; readonly id: SessionId; readonly other: SessionId }> {
  const root = path.join(temporaryFolder(), 'sessions');
  const store = storeIn(root);
  const [id, other] = [await asking(store, SECRET), await asking(store, 'something-else')];
  await lists(store);
  return { root, id, other };
}

async function asking(store: FileStore, word: string): Promise<SessionId> {
  await using session = await store.create({ agent, title: word });
  await session.append(transferTurn(word).slice(0, 5));
  return session.id;
}

async function lists(store: FileStore): Promise<readonly (readonly string[])[]> {
  const [all, open]: [string[], string[]] = [[], []];
  for await (const { id } of store.list()) all.push(id);
  for await (const { session } of store.waiting()) open.push(session);
  return [all, open];
}

/** Files below a folder that hold the word. */
function holding(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name);
    if (statSync(file).isDirectory()) return holding(file);
    return readFileSync(file, 'utf8').includes(SECRET) ? [file] : [];
  });
}

describe('a removed session', () => {
  test('is in no file of the store when its removal is said (adopter 3)', async () => {
    const { root, id, other } = await made();
    expect(holding(root).map((file) => path.basename(file))).toEqual(
      expect.arrayContaining(['index.json', 'waiting.json', 'journal.jsonl']),
    );
    await storeIn(root).remove(id);
    expect(holding(root)).toEqual([]);
    expect(await lists(storeIn(root))).toEqual([[other], [other]]);
  });

  test('is in no cache of another version of this program, and in none that is half written (adopter 3)', async () => {
    const { root, id } = await made();
    for (const name of ['index.json', 'waiting.json', '.waiting.json.0123456789abcdef.tmp'])
      writeFileSync(path.join(root, name), `{"title":"${SECRET}"}\n`);
    await storeIn(root).remove(id);
    expect(holding(root)).toEqual([]);
  });

  test('does not come back by a list that had looked before (adopter 3)', async () => {
    const { root, id, other } = await made();
    const real = nodeFileSystem();
    const writing = await storeIn(root).open(other, 'write');
    await writing.append(transferTurn('something-else').slice(5, 6)); // a list has something to learn, and writes
    await writing[Symbol.asyncDispose]();
    let removal: Promise<void> | undefined;
    const open = (file: string, flags: number, mode: number): number => {
      // The other process removes the session between the look of this list and its writing.
      if (path.basename(file).startsWith('.index.json.')) removal ??= storeIn(root).remove(id);
      return real.open(file, flags, mode);
    };
    const all: string[] = [];
    for await (const summary of storeIn(root, { ...real, open }).list()) all.push(summary.id);
    await removal;
    expect(removal).toBeDefined();
    expect(holding(root)).toEqual([]);
  });

  test.for(['before', 'after'] as const)(
    'is nowhere after the next lists, whenever the process that removes it dies: %s an operation (adopter 3)',
    async (when) => {
      let deaths = 0;
      for (let n = 1; ; n += 1) {
        const { root, id, other } = await made();
        const fs = faultyFileSystem();
        fs.fail(n, { type: 'crash', when });
        const told = await storeIn(root, fs)
          .remove(id)
          .then(
            () => 'removed',
            () => 'died',
          );
        if (told === 'removed') expect(holding(root)).toEqual([]);
        const [all = []] = await lists(storeIn(root));
        if (all.includes(id)) await storeIn(root).remove(id);
        await lists(storeIn(root));
        expect({ n, holding: holding(root) }).toEqual({ n, holding: [] });
        expect(await lists(storeIn(root))).toEqual([[other], [other]]);
        if (!fs.struck) break;
        deaths += 1;
      }
      expect(deaths).toBeGreaterThan(3);
    },
  );

  test('is not said to be removed where a cache still has it and cannot be changed (adopter 3)', async () => {
    const { root, id } = await made();
    const real = nodeFileSystem();
    const refuse = (file: string): void => {
      if (file.endsWith('waiting.json')) throw errnoError('EPERM');
    };
    const fs = {
      ...real,
      rename: (from: string, to: string): void => {
        refuse(to);
        real.rename(from, to);
      },
      remove: (file: string): void => {
        refuse(file);
        real.remove(file);
      },
    };
    await expect(storeIn(root, fs).remove(id)).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    await lists(storeIn(root));
    expect(holding(root)).toEqual([]);
  });
});
