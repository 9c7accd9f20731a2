import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { createMemoryStore } from '../../sessions/index.js';
import type { EventTail, SessionStore } from '../../src/core/index.js';
import { userSaid } from '../helpers/events.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

const numbers = async (tail: EventTail): Promise<readonly number[]> =>
  (await tail.next()).map(({ seq }) => seq);

const stores: readonly (readonly [string, () => SessionStore])[] = [
  ['files', () => temporaryStore()],
  ['memory', () => createMemoryStore({ clock: tickingClock(), random: randomBytes })],
];

describe.each(stores)('the tail of a session in %s', (_where, make) => {
  test('gives all at first, then what is new, and nothing where nothing is', async () => {
    const store = make();
    await using session = await store.create({ agent: { model: 'script', tools: [] } });
    const tail = store.tail!(session.id);
    expect(await numbers(tail)).toEqual([1, 2]); // with `session-opened`
    expect(await numbers(tail)).toEqual([]);
    await session.append([userSaid('one'), userSaid('two')]);
    expect(await numbers(tail)).toEqual([3, 4]);
    await session.append([userSaid('three')]);
    expect(await numbers(tail)).toEqual([5]);
    expect(await numbers(tail)).toEqual([]);
  });

  test('of a session that is not there says so', async () => {
    const tail = make().tail!('none' as never);
    await expect(tail.next()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('the tail of a session in a file', () => {
  async function begun() {
    const store = temporaryStore();
    await using session = await store.create({ agent: { model: 'script', tools: [] } });
    await session.append([userSaid('one')]);
    const file = path.join(store.root, session.id, 'journal.jsonl');
    return { store, id: session.id, file };
  }

  test('goes on behind the same record in a file that was written anew', async () => {
    const { store, id, file } = await begun();
    const tail = store.tail(id);
    expect(await numbers(tail)).toEqual([1, 2, 3]);
    writeFileSync(`${file}.new`, readFileSync(file));
    renameSync(`${file}.new`, file);
    await using session = await store.open(id, 'write');
    await session.append([userSaid('two')]);
    const { version } = session;
    expect(await numbers(tail)).toEqual(Array.from({ length: version - 3 }, (_none, at) => at + 4));
  });

  test('leaves out a line that is not whole yet', async () => {
    const { store, id, file } = await begun();
    const tail = store.tail(id);
    expect(await numbers(tail)).toEqual([1, 2, 3]);
    const last = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1)!;
    appendFileSync(file, last.slice(0, 20));
    expect(await numbers(tail)).toEqual([]);
  });
});
