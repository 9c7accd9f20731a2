import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import { nodeFileSystem } from '../../sessions/file-system.js';
import type { RunState, SessionEvent, SessionId } from '../../src/core/index.js';
import { openInterrupts, stateToJson } from '../../src/core/index.js';
import { agent, said, transferTurn } from './sample-events.js';
import { faultyFileSystem } from './faulty-file-system.js';
import { temporaryStore } from './temporary-store.js';

interface Made {
  readonly store: FileStore & { readonly root: string };
  readonly id: SessionId;
  readonly snapshot: string;
  readonly journal: string;
}

/** A session of 30 turns and an open question, which is long enough for a snapshot. */
async function longSession(): Promise<Made> {
  const store = temporaryStore({ lockHelpers: [() => 'locked'], fs: faultyFileSystem() });
  const events: SessionEvent[] = [];
  for (let turn = 1; turn <= 30; turn += 1) events.push(...transferTurn(`r${turn}`, `i${turn}`));
  events.push(...transferTurn('last', 'i31').slice(0, 5));
  await using session = await store.create({ agent });
  await session.append(events);
  const folder = path.join(store.root, session.id);
  const [snapshot, journal] = [path.join(folder, 'snapshot.json'), path.join(folder, 'journal.jsonl')];
  return { store, id: session.id, snapshot, journal };
}

async function stateOf(store: FileStore, id: SessionId): Promise<unknown> {
  await using session = await store.open(id, 'read');
  return JSON.parse(JSON.stringify([stateToJson(session.state), session.version, session.createdAt]));
}

/** The same store, which counts how many bytes of the journal it reads line by line. */
function counting(root: string): { readonly store: FileStore; readonly snapshotReads: () => number } {
  const real = nodeFileSystem();
  let reads = 0;
  const fs = {
    ...real,
    open: (file: string, flags: number, mode: number): number => {
      if (file.endsWith('snapshot.json')) reads += 1;
      return real.open(file, flags, mode);
    },
  };
  return { store: temporaryStore({ root, fs }), snapshotReads: () => reads };
}

describe('a snapshot', () => {
  test('is written when a long session is closed, and not for a short one', async () => {
    const { snapshot, store } = await longSession();
    expect(existsSync(snapshot)).toBe(true);
    expect(statSync(snapshot).mode & 0o777).toBe(0o600);
    await using short = await store.create({ agent });
    await short.append([said('hello')]);
    expect(existsSync(path.join(store.root, short.id, 'snapshot.json'))).toBe(false);
  });

  test('gives the state that the journal gives (G5)', async () => {
    const { store, id, snapshot } = await longSession();
    expect(store.examine(id)).toMatchObject({ snapshot: 'fits' });
    const fromSnapshot = await stateOf(store, id);
    rmSync(snapshot);
    expect(store.examine(id)).toMatchObject({ snapshot: 'absent' });
    expect(fromSnapshot).toEqual(await stateOf(store, id));
  });

  test('shows the open question without its lists being read', async () => {
    const { store, id } = await longSession();
    const { store: counted, snapshotReads } = counting(store.root);
    await using session = await counted.open(id, 'read');
    expect(openInterrupts(session.state).map((open) => open.id)).toEqual(['i31']);
    expect(snapshotReads()).toBe(1);
    expect(session.state.entries.length).toBe(121);
    expect(session.state.entries.at(-1)?.message.role).toBe('user');
    expect(snapshotReads()).toBe(2);
  });

  test('is continued with what was appended since', async () => {
    const { store, id, snapshot } = await longSession();
    const before = readFileSync(snapshot);
    {
      await using session = await store.open(id, 'write');
      await session.append(transferTurn('last', 'i31').slice(5));
      expect(session.state.entries.length).toBe(124);
      expect(session.state.refs.has('r7')).toBe(true);
      await expect(
        session.append([said('x'), ...transferTurn('r7', 'i32').slice(2, 3)]),
      ).rejects.toMatchObject({
        code: 'ILLEGAL_EVENT',
      });
    }
    expect(readFileSync(snapshot).equals(before)).toBe(true);
    const withSnapshot = await stateOf(store, id);
    rmSync(snapshot);
    expect(withSnapshot).toEqual(await stateOf(store, id));
  });

  test('with any byte changed gives the identical state (G5)', async () => {
    const { store, id, snapshot } = await longSession();
    const good = readFileSync(snapshot);
    const expected = await stateOf(store, id);
    const firstLine = good.indexOf(0x0a);
    const places = Array.from({ length: 60 }, (_, index) => Math.floor((good.length * index) / 60));
    for (const at of [...places, firstLine - 3, firstLine, firstLine + 1, good.length - 1]) {
      const changed = Buffer.from(good);
      changed[at] = (changed[at] ?? 0) ^ 4;
      writeFileSync(snapshot, changed);
      expect(await stateOf(store, id), `byte ${at}`).toEqual(expected);
    }
  });

  test.for([
    ['nothing', ''],
    ['half of it', undefined],
    ['NUL bytes', '\0'.repeat(1000)],
    ['something else', '{"format":"hitl-snapshot"}\n'],
  ] as const)('of which %s is left gives the identical state (G5, P21)', async ([, content]) => {
    const { store, id, snapshot } = await longSession();
    const expected = await stateOf(store, id);
    const good = readFileSync(snapshot);
    writeFileSync(snapshot, content ?? good.subarray(0, good.length / 2));
    expect(await stateOf(store, id)).toEqual(expected);
  });

  test('of another session, an older journal or another program is not used (G5)', async () => {
    const { store, id, snapshot, journal } = await longSession();
    const other = await longSession();
    const expected = await stateOf(store, id);
    {
      await using session = await other.store.open(other.id, 'write');
      await session.append(transferTurn('last', 'i31').slice(5, 6));
    }
    rmSync(other.snapshot);
    await other.store.repair(other.id);
    writeFileSync(snapshot, readFileSync(other.snapshot));
    expect(store.examine(id)).toMatchObject({ snapshot: 'unfit' });
    expect(await stateOf(store, id)).toEqual(expected);

    await store.repair(id);
    expect(store.examine(id)).toMatchObject({ snapshot: 'fits' });
    const upgraded = temporaryStore({ root: store.root, program: '2.0.0' });
    expect(upgraded.examine(id)).toMatchObject({ snapshot: 'unfit' });
    expect(await stateOf(upgraded, id)).toEqual(expected);

    const bytes = readFileSync(journal);
    writeFileSync(journal, bytes.subarray(0, bytes.lastIndexOf(0x0a, -2) + 1));
    expect(store.examine(id)).toMatchObject({ snapshot: 'unfit' });
    await using shorter = await store.open(id, 'read');
    expect(shorter.version).toBe(306);
  });

  test('does not hide damage of the journal before it (G4)', async () => {
    const { store, id, journal } = await longSession();
    const bytes = readFileSync(journal);
    bytes[1000] = 0x58;
    writeFileSync(journal, bytes);
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
  });

  test('that is replaced after it was opened gives the state of its time', async () => {
    const { store, id, snapshot } = await longSession();
    const expected = await stateOf(store, id);
    await using early = await store.open(id, 'read');
    {
      await using session = await store.open(id, 'write');
      await session.append(transferTurn('last', 'i31').slice(5));
    }
    await store.repair(id);
    expect(JSON.parse(JSON.stringify([stateToJson(early.state), early.version, early.createdAt]))).toEqual(
      expected,
    );

    await using late = await store.open(id, 'read');
    const { state }: { state: RunState } = late;
    rmSync(snapshot);
    expect(state.resolved.length).toBe(31);
    expect(state.resolved.toArray()).toHaveLength(31);
    expect(state.view.toArray()).toHaveLength(124);
  });

  test('that cannot be written is not missed (G5)', async () => {
    const fs = faultyFileSystem();
    const { rename } = fs;
    fs.rename = (from, to) => {
      if (to.endsWith('snapshot.json')) throw new Error('no');
      rename(from, to);
    };
    const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
    const session = await store.create({ agent });
    await session.append(Array.from({ length: 300 }, (_, index) => said(`message ${index}`)));
    await session[Symbol.asyncDispose]();
    expect(store.examine(session.id)).toMatchObject({ status: 'ok', snapshot: 'absent' });
    expect(store.examine(session.id).entries.map(({ role }) => role)).not.toContain('temporary');
  });
});
