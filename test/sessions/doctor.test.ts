import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';

import { storeContext } from '../../sessions/folder/store-options.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import { tidyStore } from '../../sessions/listing/tidy-store.js';
import { describe, expect, test } from 'vitest';

import type { FileStore } from '../../sessions/index.js';
import type { SessionEvent, SessionId } from '../../src/core/index.js';
import { openInterrupts } from '../../src/core/index.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { agent, done, replied, said, transferTurn } from './sample-events.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

type Rooted = FileStore & { readonly root: string };

interface Made {
  readonly store: Rooted;
  readonly id: SessionId;
  readonly folder: string;
  readonly journal: string;
}

async function made(events: readonly SessionEvent[] = transferTurn()): Promise<Made> {
  const store = temporaryStore();
  await using session = await store.create({ agent });
  await session.append(events);
  const folder = path.join(store.root, session.id);
  return { store, id: session.id, folder, journal: path.join(folder, 'journal.jsonl') };
}

function changeLine(file: string, line: number, from: string, to: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  writeFileSync(file, lines.with(line - 1, (lines[line - 1] ?? '').replace(from, to)).join('\n'));
}

/** Everything in a folder, with modes. */
function contents(folder: string): unknown {
  return readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'latin1')]);
}

describe('an examination', () => {
  test('of a good session says so', async () => {
    const { store, id, folder } = await made();
    expect(await store.capabilities.doctor.examine(id)).toEqual({
      id,
      path: folder,
      status: 'ok',
      meaning: 'all 12 events verified',
      remedies: [],
      records: 12,
      epoch: 1,
      snapshot: 'absent',
      loose: [],
      entries: ['journal.jsonl', 'lock', 'transcript.json'].map((name) => ({
        name,
        kind: 'file',
        size: expect.any(Number),
        mode: '600',
        owner: process.geteuid?.(),
        role: 'session',
      })),
    });
  });

  test('says where a journal is damaged, what is good and what can be done', async () => {
    const { store, id, journal } = await made();
    changeLine(journal, 5, '200', '900');
    const found = await store.capabilities.doctor.examine(id);
    expect(found).toMatchObject({ status: 'damaged', records: 4, where: { line: 5, kind: 'bad-line' } });
    expect(found.meaning).toBe(
      `session ${id} is damaged at line 5: its checksum does not match; ` +
        'the 4 events before it are valid, and the 7 after it are cut off',
    );
    expect(found.remedies[0]).toContain(`hitl doctor ${id} --salvage`);
    const byte = readFileSync(journal, 'utf8').split('\n').slice(0, 4).join('\n').length + 1;
    expect(found.where).toEqual({ line: 5, byte, kind: 'bad-line' });
  });

  test('tells a torn end, a newer version and a missing session apart', async () => {
    const { store, id, journal } = await made();
    const text = readFileSync(journal, 'utf8');
    writeFileSync(journal, text.slice(0, -10));
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({
      status: 'torn',
      records: 11,
      where: { line: 12 },
      remedies: [expect.stringContaining(`hitl resume ${id}`)],
    });
    expect(await store.capabilities.doctor.examine('nobody' as SessionId)).toMatchObject({
      status: 'missing',
      records: 0,
    });
    mkdirSync(path.join(store.root, 'empty'));
    expect(await store.capabilities.doctor.examine('empty' as SessionId)).toMatchObject({
      status: 'missing',
      meaning: 'session not found: it has no journal',
    });
  });

  test('changes nothing', async () => {
    const { store, id, folder, journal } = await made();
    const stray = path.join(folder, '.snapshot.json.0123456789abcdef.tmp');
    writeFileSync(stray, 'stray');
    chmodSync(stray, 0o644); // whatever the umask says
    writeFileSync(journal, readFileSync(journal, 'utf8').slice(0, -10));
    chmodSync(journal, 0o644);
    chmodSync(folder, 0o755);
    const before = contents(folder);
    const found = await store.capabilities.doctor.examine(id);
    expect(found.loose).toEqual(['.', '.snapshot.json.0123456789abcdef.tmp', 'journal.jsonl']);
    expect(found.entries.map(({ role }) => role)).toEqual(['temporary', 'session', 'session', 'session']);
    expect(contents(folder)).toEqual(before);
    expect(await store.capabilities.doctor.examine(id)).toEqual(found);
  });
});

describe('a repair', () => {
  test('mends what can be mended, says what it did, and finds nothing more to do', async () => {
    const { store, id, folder, journal } = await made();
    const stray = '.transcript.json.0123456789abcdef.tmp';
    writeFileSync(path.join(folder, stray), 'stray', { mode: 0o600 });
    writeFileSync(path.join(folder, 'transcript.json'), 'nonsense');
    writeFileSync(path.join(folder, 'notes.txt'), 'mine');
    chmodSync(path.join(folder, 'notes.txt'), 0o644); // whatever the umask says
    chmodSync(journal, 0o644);
    writeFileSync(journal, readFileSync(journal, 'utf8').slice(0, -10));

    const { done: actions, after } = await store.capabilities.doctor.repair(id);
    expect(actions).toEqual([
      expect.stringContaining('mode changed from 644 to 600'),
      expect.stringMatching(
        /^the last \d+ bytes of session \w+ were an incomplete event and were cut off; they are saved/,
      ),
      'closed `notes.txt` to others',
      `removed partially written \`${stray}\``,
      'rebuilt snapshot and transcript',
    ]);
    expect(after).toMatchObject({ status: 'ok', records: 11, snapshot: 'fits', loose: [] });
    expect(after.entries.map(({ name, role }) => [name, role])).toEqual([
      ['journal.jsonl', 'session'],
      ['journal.jsonl.torn-1', 'backup'],
      ['lock', 'session'],
      ['notes.txt', 'other'],
      ['snapshot.json', 'session'],
      ['transcript.json', 'session'],
    ]);
    expect(JSON.parse(readFileSync(path.join(folder, 'transcript.json'), 'utf8'))).toMatchObject({ id });
    expect((await store.capabilities.doctor.repair(id)).done).toEqual(['rebuilt snapshot and transcript']);
  });

  test('does not touch a damaged journal (G4)', async () => {
    const { store, id, folder, journal } = await made();
    changeLine(journal, 5, '200', '900');
    const before = contents(folder);
    await expect(store.capabilities.doctor.repair(id)).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
    expect(contents(folder)).toEqual(before);
  });

  test('leaves links alone, and says where a mode cannot be changed', async () => {
    const { store, id, folder } = await made();
    const notes = path.join(folder, 'notes.txt');
    writeFileSync(notes, 'mine');
    chmodSync(notes, 0o644); // whatever the umask says
    symlinkSync(notes, path.join(folder, 'link'));
    const fs = faultyFileSystem();
    fs.changeMode = () => {
      throw errnoError('EPERM');
    };
    await expect(
      temporaryStore({ root: store.root, fs }).capabilities.doctor.repair(id),
    ).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: 'could not save the mode of `notes.txt`: the system does not permit it',
    });
    expect((await store.capabilities.doctor.repair(id)).after.loose).toEqual(['link']);
  });

  test('waits for nobody', async () => {
    const { store, id } = await made();
    await using session = await store.open(id, 'write');
    await expect(store.capabilities.doctor.repair(session.id)).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
    });
  });
});

describe('a salvage', () => {
  test('copies the good records to a new session and leaves the old one as it is (G4)', async () => {
    const { store, id, folder, journal } = await made([
      said('one'),
      replied('two'),
      done,
      said('three'),
      replied('four'),
    ]);
    changeLine(journal, 6, 'three', 'seven');
    const before = contents(folder);
    const { id: copy, records, inDoubt } = await store.capabilities.doctor.salvage(id);
    expect({ records, inDoubt }).toEqual({ records: 5, inDoubt: 0 });
    expect(contents(folder)).toEqual(before);
    await using session = await store.open(copy, 'write');
    expect(session.state.entries.toArray().map(({ message }) => message.content)).toEqual([
      [{ type: 'text', text: 'one' }],
      [{ type: 'text', text: 'two' }],
    ]);
    await session.append([said('goes on')]);
    expect(await store.capabilities.doctor.examine(copy)).toMatchObject({ status: 'ok' });
  });

  test('asks about a call that what was cut off may have run (G10)', async () => {
    const { store, id, journal } = await made();
    changeLine(journal, 9, '"attempt":2', '"attempt":3'); // behind the approval
    const { id: copy, inDoubt } = await store.capabilities.doctor.salvage(id);
    expect(inDoubt).toBe(1);
    await using session = await store.open(copy, 'read');
    expect(openInterrupts(session.state)).toMatchObject([
      {
        id: 'i2',
        kind: 'in-doubt',
        source: { type: 'tool', ref: 'a', name: 'transferMoney', input: { amount: 200 }, raisedBy: 'engine' },
        payload: { startedAt: null, attempt: 1, salvaged: true },
      },
    ]);
  });

  test('says where the copy could not be saved', async () => {
    const { store, id, journal } = await made();
    changeLine(journal, 9, '"attempt":2', '"attempt":3');
    const fs = faultyFileSystem();
    fs.rename = () => {
      throw errnoError('ENOSPC');
    };
    await expect(
      temporaryStore({ root: store.root, fs }).capabilities.doctor.salvage(id),
    ).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: expect.stringContaining('the disk is full'),
    });
    fs.rename = () => {
      throw new Error('a bug');
    };
    await expect(temporaryStore({ root: store.root, fs }).capabilities.doctor.salvage(id)).rejects.toThrow(
      'a bug',
    );
  });

  test('asks about a call that had started', async () => {
    const { store, id, journal } = await made();
    changeLine(journal, 10, '"ok":true', '"ok":null');
    const { id: copy } = await store.capabilities.doctor.salvage(id);
    await using session = await store.open(copy, 'read');
    expect(openInterrupts(session.state)).toMatchObject([
      { kind: 'in-doubt', payload: { startedAt: '2026-01-02T03:04:05.000Z', attempt: 2 } },
    ]);
  });

  test('is for damaged sessions with something good in them', async () => {
    const { store, id, journal } = await made();
    await expect(store.capabilities.doctor.salvage(id)).rejects.toMatchObject({ code: 'USAGE' });
    await expect(store.capabilities.doctor.salvage('nobody' as SessionId)).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
    });
    changeLine(journal, 1, '"v":2', '"v":3');
    await expect(store.capabilities.doctor.salvage(id)).rejects.toMatchObject({
      code: 'SESSION_DAMAGED',
      message: `session ${id} has no valid events`,
    });
  });
});

function tidied(root: string, fs = nodeFileSystem()): readonly string[] {
  const context = storeContext({ root, clock: tickingClock(), random: randomBytes, fs });
  return tidyStore(context, readdirSync(root));
}

describe('tidying', () => {
  test('finishes a removal that was cut short, with the next list', async () => {
    const { store, folder, id } = await made();
    renameSync(folder, path.join(store.root, '.removed-0123456789abcdef'));
    const listed: unknown[] = [];
    for await (const summary of store.list()) listed.push(summary);
    expect(listed).toEqual([]);
    expect(readdirSync(store.root)).not.toContain('.removed-0123456789abcdef');
    await expect(store.open(id, 'read')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('removes what dead processes left, and nothing that is young or not ours', async () => {
    const { store, id } = await made();
    const strays = ['.index.json.0123456789abcdef.tmp', '.removed-0123456789abcdef'];
    writeFileSync(path.join(store.root, strays[0]!), 'x');
    mkdirSync(path.join(store.root, strays[1]!));
    writeFileSync(path.join(store.root, strays[1]!, 'journal.jsonl'), 'x');
    writeFileSync(path.join(store.root, '.note'), 'mine');
    utimesSync(path.join(store.root, strays[0]!), 1, 1);
    writeFileSync(path.join(store.root, '.other.fedcba9876543210.tmp'), 'young');
    const future = new Date('2100-01-01');
    utimesSync(path.join(store.root, '.other.fedcba9876543210.tmp'), future, future);
    expect(tidied(store.root).toSorted()).toEqual(strays);
    expect(readdirSync(store.root).sort()).toEqual(['.other.fedcba9876543210.tmp', '.note', id].sort());
    expect(tidied(store.root)).toEqual([]);
  });
});

test('strays that cannot be removed are no reason to fail', async () => {
  const { store, id, folder } = await made();
  writeFileSync(path.join(folder, '.snapshot.json.0123456789abcdef.tmp'), 'half');
  const stray = path.join(store.root, '.index.json.0123456789abcdef.tmp');
  writeFileSync(stray, 'half');
  utimesSync(stray, 1, 1);
  const fs = faultyFileSystem();
  fs.remove = () => {
    throw errnoError('EPERM');
  };
  const { lookUp } = fs;
  fs.lookUp = (file) => (file === stray ? undefined : lookUp(file));
  const hindered = temporaryStore({ root: store.root, fs });
  await using session = await hindered.open(id, 'write');
  expect(session.version).toBe(12);
  expect(tidied(store.root, fs)).toEqual([]);
  fs.lookUp = () => {
    throw errnoError('EIO');
  };
  expect(tidied(store.root, fs)).toEqual([]);
});

test('an entry that goes while it is looked at is not told of', async () => {
  const { store, id } = await made();
  const fs = faultyFileSystem();
  const { lookUp } = fs;
  fs.lookUp = (file) => (file.endsWith('transcript.json') ? undefined : lookUp(file));
  const { entries } = await temporaryStore({ root: store.root, fs }).capabilities.doctor.examine(id);
  expect(entries.map(({ name }) => name)).toEqual(['journal.jsonl', 'lock']);
});

test('a removal that fails says so', async () => {
  const { store, id } = await made();
  const fs = faultyFileSystem();
  fs.rename = () => {
    throw errnoError('EROFS');
  };
  await expect(temporaryStore({ root: store.root, fs }).remove(id)).rejects.toMatchObject({
    code: 'SAVE_FAILED',
    message: `could not save the removal of session ${id}: the file system is read-only`,
  });
});

test('a journal that changes while its events are read is no quiet end of them', async () => {
  const { store, id, journal } = await made();
  await using session = await store.open(id, 'read');
  changeLine(journal, 3, 'Ann', 'Bob');
  const read = async (): Promise<void> => {
    for await (const { seq } of session.events()) expect(seq).toBeLessThan(3);
  };
  await expect(read()).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
});

test('a later opening removes what a dead writer left half written (P21)', async () => {
  const { store, id, folder } = await made();
  writeFileSync(path.join(folder, '.snapshot.json.0123456789abcdef.tmp'), 'half');
  await using session = await store.open(id, 'write');
  expect(session.notices).toEqual([]);
  expect(readdirSync(folder)).toEqual(['journal.jsonl', 'lock', 'transcript.json']);
});
