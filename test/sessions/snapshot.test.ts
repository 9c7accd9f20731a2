import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sealLine } from '../../sessions/format/codec.js';
import type { FileStore } from '../../sessions/index.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import { sessionFolder } from '../../sessions/folder/session-folder.js';
import type { SessionTip } from '../../sessions/journal/session-tip.js';
import { NO_RECORDS } from '../../sessions/journal/session-tip.js';
import { storeContext } from '../../sessions/folder/store-options.js';
import { writeSnapshot } from '../../sessions/snapshot/write-snapshot.js';
import type { Message, RunState, SessionEvent, SessionId } from '../../src/core/index.js';
import { AppendList, openInterrupts, sha256, stateToJson } from '../../src/core/index.js';
import { RefIndex } from '../../src/core/data/sequence.js';
import { agent, said, transferTurn } from './sample-events.js';
import { faultyFileSystem } from './faulty-file-system.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

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
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'fits' });
    const fromSnapshot = await stateOf(store, id);
    rmSync(snapshot);
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'absent' });
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
    await other.store.capabilities.doctor.repair(other.id);
    writeFileSync(snapshot, readFileSync(other.snapshot));
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'unfit' });
    expect(await stateOf(store, id)).toEqual(expected);

    await store.capabilities.doctor.repair(id);
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'fits' });
    const upgraded = temporaryStore({ root: store.root, program: '2.0.0' });
    expect(await upgraded.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'unfit' });
    expect(await stateOf(upgraded, id)).toEqual(expected);

    const bytes = readFileSync(journal);
    writeFileSync(journal, bytes.subarray(0, bytes.lastIndexOf(0x0a, -2) + 1));
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'unfit' });
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
    await store.capabilities.doctor.repair(id);
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
    expect(await store.capabilities.doctor.examine(session.id)).toMatchObject({
      status: 'ok',
      snapshot: 'absent',
    });
    expect(
      (await store.capabilities.doctor.examine(session.id)).entries.map(({ role }) => role),
    ).not.toContain('temporary');
  });

  interface Forgery {
    readonly header?: object;
    readonly journal?: object;
    readonly lists?: { readonly entries?: unknown; readonly view?: unknown; readonly resolved?: unknown };
    readonly parts?: object;
  }

  /** Writes a snapshot with other members in it, and with sums that fit. */
  function forge(file: string, { header, journal, lists, parts }: Forgery): void {
    const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const { sum: _sum, ...original } = JSON.parse(first) as { sum: string; journal: object };
    const [entries, resolved] = rest.map((line) => JSON.parse(line) as unknown);
    const given = Object.entries({ entries, resolved, ...lists });
    const places: Record<string, object> = {};
    let from = 0;
    const lines = given.map(([name, list]) => {
      const bytes = Buffer.from(`${JSON.stringify(list)}\n`);
      places[name] = { from, to: from + bytes.length, sum: sha256(bytes) };
      from += bytes.length;
      return bytes;
    });
    const changed = {
      ...original,
      journal: { ...original.journal, ...journal },
      parts: { ...places, ...parts },
      ...header,
    };
    const sealed = sealLine(JSON.stringify(changed).slice(0, -1));
    writeFileSync(file, Buffer.concat([sealed, ...lines]), { mode: 0o600 });
  }

  test.for<[string, Forgery]>([
    ['another format', { header: { format: 'other' } }],
    ['another version', { header: { version: 3 } }],
    ['no journal', { header: { journal: 1 } }],
    ['no parts', { header: { parts: 1 } }],
    ['no base', { header: { base: {} } }],
    ['a length that is none', { journal: { length: '1' } }],
    ['a number that is none', { journal: { seq: '1' } }],
    ['a chain that is none', { journal: { prev: 1 } }],
    ['more journal than there is', { journal: { length: 10_000_000 } }],
    ['entries that are none', { lists: { entries: [{}] } }],
    ['answers that are none', { lists: { resolved: {} } }],
    ['no place for a list', { parts: { entries: undefined } }],
  ])('that holds %s gives the identical state (G5)', async ([, forgery]) => {
    const { store, id, snapshot } = await longSession();
    const expected = await stateOf(store, id);
    forge(snapshot, forgery);
    expect(await stateOf(store, id)).toEqual(expected);
  });

  test('that is a link is not used', async () => {
    const { store, id, snapshot } = await longSession();
    const expected = await stateOf(store, id);
    renameSync(snapshot, `${snapshot}.real`);
    symlinkSync(`${snapshot}.real`, snapshot);
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'unfit' });
    expect(await stateOf(store, id)).toEqual(expected);
  });

  test('may hold a view of its own', async () => {
    const { store, id, snapshot } = await longSession();
    await using before = await store.open(id, 'read');
    const view = before.state.view.toArray();
    forge(snapshot, { lists: { view: view.with(0, { role: 'user', content: [] }) } });
    await using changed = await store.open(id, 'read');
    expect(changed.state.view.at(0)).toEqual({ role: 'user', content: [] });

    forge(snapshot, { lists: { view: [1] } });
    await using mended = await store.open(id, 'read');
    expect(mended.state.view.toArray()).toEqual(view);
  });

  test('is written of what a fold makes, and of nothing else', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    const folder = sessionFolder(store.root, session.id);
    const context = storeContext({ root: store.root, clock: tickingClock(), random: randomBytes });
    const tip: SessionTip = { ...NO_RECORDS, state: session.state };
    writeSnapshot(context, folder, { ...tip, state: { ...session.state, refs: RefIndex.empty().add('x') } });
    expect(existsSync(folder.snapshot)).toBe(false);
    const view = AppendList.of<Message>([{ role: 'user', content: [] }]);
    writeSnapshot(context, folder, { ...tip, state: { ...session.state, view } });
    expect(readFileSync(folder.snapshot, 'utf8').split('\n')[2]).toBe('[{"role":"user","content":[]}]');
  });

  test('that was not changed but sealed again is used', async () => {
    const { store, id, snapshot } = await longSession();
    forge(snapshot, {});
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({ snapshot: 'fits' });
  });
});

test('a session with a graph is read from its journal, however long it is (G5)', async () => {
  const store = temporaryStore();
  await using session = await store.create({ agent });
  const laps = Array.from({ length: 100 }, (_, index) => index + 1);
  await session.append([
    {
      type: 'graph-started',
      name: 'g',
      hash: 'h',
      start: 'a',
      seed: 1,
      maxIterations: 1000,
      inherit: false,
      set: {},
      reducers: {},
      before: [],
      after: [],
    },
    ...laps.flatMap((visit): readonly SessionEvent[] => [
      { type: 'node-entered', node: 'a', visit },
      { type: 'node-started', node: 'a', visit, attempt: 1, effect: 'none', startedAt: '' },
      { type: 'node-settled', node: 'a', visit, changes: { set: { visit } } },
    ]),
  ]);
  await session[Symbol.asyncDispose]();
  await using again = await store.open(session.id, 'write');
  const { history: activations, visits } = again.state.graph!;
  expect([activations.length, visits.get('a')]).toEqual([99, 100]);
});
