import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, test } from 'vitest';

import { sealLine } from '../../sessions/format/codec.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileStore } from '../../sessions/index.js';
import { systemProcesses } from '../../sessions/lock-owner.js';
import { restingStatus } from '../../sessions/format/summary.js';
import type { SessionEvent, SessionId, SessionSummary } from '../../src/core/index.js';
import { emptyState, fold, sessionTitle } from '../../src/core/index.js';
import { agent, called, done, replied, said, started, transferTurn } from './sample-events.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { temporaryStore } from './temporary-store.js';

type Rooted = FileStore & { readonly root: string };

async function listOf(store: FileStore): Promise<SessionSummary[]> {
  const list: SessionSummary[] = [];
  for await (const summary of store.list()) list.push(summary);
  return list;
}

async function makeSession(store: FileStore, text: string, id?: string): Promise<SessionId> {
  await using session = await store.create({ agent, ...(id !== undefined && { id: id as SessionId }) });
  await session.append([said(text), replied('ok'), done]);
  return session.id;
}

/** The same sessions, seen by a store that counts the journals it opens. */
function counting(root: string): { readonly store: Rooted; readonly journalsRead: () => number } {
  const real = nodeFileSystem();
  let count = 0;
  const open = (file: string, flags: number, mode: number): number => {
    if (file.endsWith('journal.jsonl')) count += 1;
    return real.open(file, flags, mode);
  };
  return { store: temporaryStore({ root, fs: { ...real, open } }), journalsRead: () => count };
}

describe('a list', () => {
  test('of a store that was never used is empty, and makes nothing', async () => {
    const store = temporaryStore();
    expect(await listOf(store)).toEqual([]);
    expect(() => statSync(store.root)).toThrow();
  });

  test('orders sessions of one moment by their ids', async () => {
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    const store = temporaryStore({ clock });
    for (const id of ['b', 'c', 'a']) await makeSession(store, 'x', id);
    expect((await listOf(store)).map(({ id }) => id)).toEqual(['c', 'b', 'a']);
  });

  test('reads a journal only when it has changed', async () => {
    const made = temporaryStore();
    const ids = [await makeSession(made, 'one'), await makeSession(made, 'two')];
    const { store, journalsRead } = counting(made.root);
    const first = await listOf(store);
    expect(journalsRead()).toBe(2);
    expect(await listOf(store)).toEqual(first);
    expect(journalsRead()).toBe(2);
    expect(statSync(path.join(made.root, 'index.json')).mode & 0o777).toBe(0o600);

    {
      await using session = await made.open(ids[0]!, 'write');
      await session.append([said('again')]);
    }
    expect((await listOf(store)).map(({ id, turns }) => [id, turns])).toEqual([
      [ids[0], 2],
      [ids[1], 1],
    ]);
    expect(journalsRead()).toBe(3);
    await made.remove(ids[1]!);
    expect((await listOf(store)).map(({ id }) => id)).toEqual([ids[0]]);
    expect(journalsRead()).toBe(3);
    expect(JSON.parse(readFileSync(path.join(made.root, 'index.json'), 'utf8'))).toMatchObject({
      entries: [{ id: ids[0] }],
    });
  });

  test('reads a journal again that has another time, or is another file', async () => {
    const made = temporaryStore();
    const id = await makeSession(made, 'one');
    const journal = path.join(made.root, id, 'journal.jsonl');
    const { store, journalsRead } = counting(made.root);
    await listOf(store);
    utimesSync(journal, 1, 1);
    await listOf(store);
    expect(journalsRead()).toBe(2);
    const bytes = readFileSync(journal);
    rmSync(journal);
    writeFileSync(journal, bytes, { mode: 0o600 });
    await listOf(store);
    expect(journalsRead()).toBe(3);
  });

  test.for([
    ['is gone', undefined],
    ['is empty', ''],
    ['was changed', 'changed'],
    ['is of another program', 'program'],
  ] as const)('is the same where its index %s', async ([, damage]) => {
    const made = temporaryStore();
    await makeSession(made, 'one');
    await makeSession(made, 'two');
    const expected = await listOf(made);
    const index = path.join(made.root, 'index.json');
    if (damage === undefined) rmSync(index);
    else if (damage === '') writeFileSync(index, '');
    else if (damage === 'changed') {
      writeFileSync(index, readFileSync(index, 'utf8').replace('"title":"one"', '"title":"eno"'));
    }
    const program = damage === 'program' ? '2.0.0' : '';
    expect(await listOf(temporaryStore({ root: made.root, program }))).toEqual(expected);
  });

  test.for([
    ['another format', { format: 'other' }],
    ['another version', { version: 2 }],
    ['no entries', { entries: undefined }],
    ['entries that are none', { entries: [1, {}, { id: '../x' }, { id: 'x', size: '1' }] }],
  ] as const)('is the same where its index holds %s', async ([, changes]) => {
    const made = temporaryStore();
    await makeSession(made, 'one');
    const expected = await listOf(made);
    const index = path.join(made.root, 'index.json');
    const { sum: _sum, ...body } = JSON.parse(readFileSync(index, 'utf8')) as Record<string, unknown>;
    writeFileSync(index, sealLine(JSON.stringify({ ...body, ...changes }).slice(0, -1)));
    expect(await listOf(made)).toEqual(expected);
  });

  test('is the same where its index cannot be written', async () => {
    const made = temporaryStore();
    await makeSession(made, 'one');
    const fs = faultyFileSystem();
    fs.rename = () => {
      throw errnoError('EROFS');
    };
    expect(await listOf(temporaryStore({ root: made.root, fs }))).toHaveLength(1);
  });

  test('of many sessions uses its index too', async () => {
    const store = temporaryStore({ fs: faultyFileSystem(), lockHelpers: [() => 'locked'] });
    const title = 'A title that is as long as a title can be, so that it counts';
    for (let count = 0; count < 560; count += 1) {
      await using session = await store.create({ agent, title: title.repeat(4) });
      expect(session.version).toBe(2);
    }
    const first = await listOf(store);
    expect(statSync(path.join(store.root, 'index.json')).size).toBeGreaterThan(1 << 18);
    const { store: counted, journalsRead } = counting(store.root);
    expect(await listOf(counted)).toEqual(first);
    expect(journalsRead()).toBe(0);
  });

  test('shows what cannot be read, with what could be read of it, and never fails', async () => {
    const store = temporaryStore();
    const good = await makeSession(store, 'good');
    const damaged = await makeSession(store, 'damaged');
    const hopeless = await makeSession(store, 'hopeless');
    const newer = await makeSession(store, 'newer');
    change(store, damaged, (text) => text.replace('"ok"', '"no"'));
    change(store, hopeless, (text) => `x${text}`);
    change(store, newer, (text) => text.replace('"v":2', '"v":7'));
    const list = await listOf(store);
    expect(list.map(({ id, title, status }) => [id, title, status]).sort()).toEqual(
      [
        [good, 'good', 'done'],
        [damaged, 'damaged', 'unreadable'],
        [hopeless, '', 'unreadable'],
        [newer, '', 'unreadable'],
      ].sort(),
    );
    expect(list.filter(({ updatedAt }) => Number.isNaN(Date.parse(updatedAt)))).toEqual([]);
  });

  test('says of a session that is open whether it has work to do, and where it began', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent, cwd: '/home/ann/shop' });
    const seen = async () => (await listOf(store)).map(({ status, idle, folder }) => [status, idle, folder]);
    const idle = [['running', true, '/home/ann/shop']];
    expect([await seen(), await seen()]).toEqual([idle, idle]);
    await session.append([
      { type: 'message-added', message: { role: 'user', content: [{ type: 'text', text: 'hi' }] } },
      { type: 'model-started', attempt: 1 },
    ]);
    const busy = [['running', undefined, '/home/ann/shop']];
    expect([await seen(), await seen()]).toEqual([busy, busy]);
    await session.append([{ type: 'run-ended', reason: { type: 'aborted' } }]);
    expect(await seen()).toEqual(idle);
  });

  test('shows a session as running while the process that writes it lives', async () => {
    const store = temporaryStore();
    await using session = await store.create({ agent });
    expect(await listOf(store)).toMatchObject([{ status: 'running' }]);

    const real = systemProcesses(os.hostname());
    const elsewhere = temporaryStore({ root: store.root, processes: { ...real, host: 'elsewhere' } });
    expect(await listOf(elsewhere)).toMatchObject([{ status: 'done' }]);
    const afterwards = temporaryStore({ root: store.root, processes: { ...real, exists: () => false } });
    expect(await listOf(afterwards)).toMatchObject([{ status: 'done' }]);
    const reused = temporaryStore({ root: store.root, processes: { ...real, started: () => 'later' } });
    expect(await listOf(reused)).toMatchObject([{ status: 'done' }]);

    await session.append(transferTurn().slice(0, 5));
    expect(await listOf(store)).toMatchObject([{ status: 'waiting', waiting: 1 }]);
  });
});

function change(store: Rooted, id: SessionId, edit: (text: string) => string): void {
  const journal = path.join(store.root, id, 'journal.jsonl');
  writeFileSync(journal, edit(readFileSync(journal, 'utf8')));
}

describe('the state of a session at rest', () => {
  const ended = (reason: (SessionEvent & { type: 'run-ended' })['reason']): SessionEvent => ({
    type: 'run-ended',
    reason,
  });
  const flowStarted: SessionEvent = {
    type: 'graph-started',
    name: 'g',
    hash: 'h',
    start: 'a',
    seed: 1,
    maxIterations: 50,
    inherit: false,
    set: {},
    reducers: {},
    before: [],
    after: [],
  };
  const entered: SessionEvent = { type: 'node-entered', node: 'a', visit: 1 };
  test.for<[string, SessionEvent[]]>([
    ['done', []],
    ['done', [said('a'), replied('b')]],
    ['done', [said('a'), replied('b'), done]],
    ['done', [said('a'), ended({ type: 'finished', by: 'finish' })]],
    ['interrupted', [said('a')]],
    ['interrupted', [said('a'), { type: 'model-started', attempt: 1 }]],
    ['interrupted', [said('a'), called('r', { amount: 1 }), started('r', 1, { amount: 1 })]],
    ['interrupted', [said('a'), ended({ type: 'aborted' })]],
    ['interrupted', [said('a'), ended({ type: 'limit', limit: 'turns' })]],
    ['failed', [said('a'), ended({ type: 'failed', error: { code: 'MODEL_FAILED', message: 'no' } })]],
    ['waiting', [...transferTurn().slice(0, 5)]],
    ['interrupted', [flowStarted]],
    ['interrupted', [flowStarted, entered, done, { type: 'rewound', node: 'a', visit: 1 }]],
    ['done', [flowStarted, entered, done]],
  ])('is %s', ([status, events]) => {
    expect(restingStatus(fold(events, emptyState()))).toBe(status);
  });
});

describe('the title of a session', () => {
  test.for([
    ['the words of the first message', [said('Pay the rent')], 'Pay the rent'],
    ['one line', [said('  Pay\n\t the   rent \n')], 'Pay the rent'],
    ['of a message that says something', [said('  '), said('Pay')], 'Pay'],
    ['60 characters as they are', [said('é'.repeat(60))], 'é'.repeat(60)],
    ['60 characters at most', [said('é'.repeat(61))], `${'é'.repeat(59)}…`],
    ['characters that are not cut in half', [said('😀'.repeat(70))], `${'😀'.repeat(59)}…`],
    ['nothing where nobody spoke', [], ''],
  ] as const)('is %s', ([, events, title]) => {
    expect(sessionTitle(fold(events, emptyState()))).toBe(title);
  });

  test('is the one that was given', () => {
    const created: SessionEvent = { type: 'session-created', agent, title: 'Rent' };
    expect(sessionTitle(fold([created, said('Pay')], emptyState()))).toBe('Rent');
  });
});
