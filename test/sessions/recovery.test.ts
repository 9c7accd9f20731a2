import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import type { FileStore } from '../../sessions/index.js';
import { scanJournal } from '../../sessions/journal/scan-journal.js';
import type { SessionId, StoredEvent } from '../../src/core/index.js';
import { isHitlError } from '../../src/core/index.js';
import { agent, said, transferTurn } from './sample-events.js';
import { errnoError, faultyFileSystem } from './faulty-file-system.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

interface Made {
  readonly store: FileStore & { readonly root: string };
  readonly id: SessionId;
  readonly folder: string;
  readonly journal: string;
  readonly bytes: Buffer;
}

/** A session of 12 records. Flushes are left out: nothing here dies, and there are thousands of openings. */
async function madeSession(start?: number): Promise<Made> {
  const clock = tickingClock(start);
  const store = temporaryStore({ clock, fs: faultyFileSystem(), lockHelpers: [() => 'locked'] });
  const session = await store.create({ agent });
  for (const event of transferTurn()) await session.append([event]);
  await session[Symbol.asyncDispose]();
  const folder = path.join(store.root, session.id);
  const journal = path.join(folder, 'journal.jsonl');
  return { store, id: session.id, folder, journal, bytes: readFileSync(journal) };
}

/** Where each line begins, and the end. */
function lineStarts(bytes: Buffer): number[] {
  const starts = [0];
  bytes.forEach((byte, index) => {
    if (byte === 0x0a) starts.push(index + 1);
  });
  return starts;
}

async function eventsIn({ store, id }: Made): Promise<StoredEvent[]> {
  await using session = await store.open(id, 'read');
  const events: StoredEvent[] = [];
  for await (const stored of session.events()) events.push(stored);
  return events;
}

/** What opening for writing says: the number of records, or the code of the error. */
async function openedToWrite({ store, id }: Made): Promise<number | string> {
  try {
    await using session = await store.open(id, 'write');
    return session.version;
  } catch (error) {
    return isHitlError(error) ? error.code : String(error);
  }
}

/** What a scan of these bytes says, without a disk. */
function scanOf(bytes: Buffer): { readonly status: string; readonly records: number } {
  const read = (_fd: number, target: Uint8Array, position: number): number =>
    bytes.copy(target, 0, position, position + target.length);
  const { health, position } = scanJournal({ ...nodeFileSystem(), read }, 0, () => undefined);
  return { status: health.status, records: position.seq };
}

function backups(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => name.includes('.torn-'));
}

describe('a journal whose end was cut off', () => {
  test('at any byte of the last 3 records opens with at most the torn one gone (G3, F6)', async () => {
    const made = await madeSession();
    const { bytes, journal, folder } = made;
    const all = await eventsIn(made);
    const starts = lineStarts(bytes);
    const from = starts.at(-4) ?? 0;
    let cuts = 0;
    for (let end = from; end < bytes.length; end += 1) {
      const whole = starts.filter((start) => start <= end + 1).length - 1; // only a newline short is whole
      const torn = Math.max(0, end - (starts[whole] ?? 0));
      const expected = { end, status: torn > 0 ? 'torn' : 'ok', records: whole };
      expect({ end, ...scanOf(bytes.subarray(0, end)) }).toEqual(expected);
      cuts += 1;
      const isNearEdge = starts.some((start) => Math.abs(start - end) < 3);
      if (!isNearEdge && end % 50 !== 0) continue;

      const before = backups(folder).length;
      writeFileSync(journal, bytes.subarray(0, end));
      {
        await using session = await made.store.open(made.id, 'write');
        expect(session.version).toBe(whole);
        expect(session.notices).toHaveLength(torn > 0 ? 1 : 0);
        if (torn > 0) expect(session.notices[0]).toContain(`the last ${torn} bytes`);
      }
      expect(backups(folder)).toHaveLength(before + (torn > 0 ? 1 : 0));
      expect(readFileSync(journal).equals(bytes.subarray(0, starts[whole]))).toBe(true);
      expect(await eventsIn(made)).toEqual(all.slice(0, whole));
    }
    expect(cuts).toBeGreaterThan(500);
  });

  test('keeps what was cut beside it, for nobody else to read (G3, G32)', async () => {
    const made = await madeSession();
    const { bytes, journal, folder } = made;
    const last = lineStarts(bytes).at(-2) ?? 0;
    writeFileSync(journal, bytes.subarray(0, -5));
    expect(await openedToWrite(made)).toBe(11);
    const backup = path.join(folder, 'journal.jsonl.torn-1');
    expect(readFileSync(backup).equals(bytes.subarray(last, -5))).toBe(true);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(await openedToWrite(made)).toBe(11);
    expect(backups(folder)).toEqual(['journal.jsonl.torn-1']);
  });

  test('is read without being changed, and says so', async () => {
    const made = await madeSession();
    const cut = made.bytes.subarray(0, -5);
    writeFileSync(made.journal, cut);
    await using session = await made.store.open(made.id, 'read');
    expect(session.version).toBe(11);
    expect(session.notices).toEqual([
      expect.stringMatching(/^the last \d+ bytes of session \w+ are an incomplete event and were ignored$/),
    ]);
    expect(readFileSync(made.journal).equals(cut)).toBe(true);
  });

  test.for([
    ['NUL bytes', Buffer.alloc(4096)],
    ['NUL bytes and a newline', Buffer.concat([Buffer.alloc(100), Buffer.from('\n')])],
    ['half a line and NUL bytes', Buffer.concat([Buffer.from('{"v":1,"seq":13,"pr'), Buffer.alloc(1728)])],
    ['something else', Buffer.from('# a note\nand another')],
  ] as const)('and that ends in %s is cut there (G3, F9)', async ([, tail]) => {
    const made = await madeSession();
    writeFileSync(made.journal, Buffer.concat([made.bytes, tail]));
    await using session = await made.store.open(made.id, 'write');
    expect(session.version).toBe(12);
    expect(session.notices[0]).toContain(`the last ${tail.length} bytes`);
    expect(readFileSync(made.journal).equals(made.bytes)).toBe(true);
  });

  test('goes on after the cut with a chain that holds', async () => {
    const made = await madeSession();
    writeFileSync(made.journal, made.bytes.subarray(0, -1));
    {
      await using session = await made.store.open(made.id, 'write');
      await session.append([...transferTurn('b', 'i2')]);
    }
    expect(await made.store.capabilities.doctor.examine(made.id)).toMatchObject({
      status: 'ok',
      records: 23,
    });
  });

  test('can be repaired again after dying in the middle of the repair (P23)', async () => {
    for (let n = 1; ; n += 1) {
      const fs = faultyFileSystem();
      const store = temporaryStore({ fs, lockHelpers: [() => 'locked'] });
      const session = await store.create({ agent });
      for (const event of transferTurn()) await session.append([event]);
      await session[Symbol.asyncDispose]();
      const journal = path.join(store.root, session.id, 'journal.jsonl');
      const bytes = readFileSync(journal);
      writeFileSync(journal, bytes.subarray(0, -9));
      fs.fail(n, { type: 'crash', when: 'before' });
      await store.open(session.id, 'write').then(
        (opened) => opened[Symbol.asyncDispose](),
        () => undefined,
      );
      const { root } = store;
      const healthy = temporaryStore({ root, lockHelpers: [() => 'locked'] });
      await using again = await healthy.open(session.id, 'write');
      expect(again.version).toBe(11);
      if (!fs.struck) break;
      expect(n).toBeLessThan(30);
    }
  });
});

test('a journal that goes while it is opened is missing', async () => {
  const made = await madeSession();
  const fs = faultyFileSystem();
  const { open } = fs;
  fs.open = (file, flags, mode) => {
    if (file === made.journal) rmSync(made.journal, { force: true });
    return open(file, flags, mode);
  };
  const store = temporaryStore({ root: made.store.root, fs });
  await expect(store.open(made.id, 'write')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

describe('a disk that fails', () => {
  test('while a journal is read is not taken for damage', async () => {
    const made = await madeSession();
    const fs = faultyFileSystem();
    fs.read = () => {
      throw errnoError('EIO');
    };
    const store = temporaryStore({ root: made.store.root, fs });
    for (const mode of ['read', 'write'] as const) {
      await expect(store.open(made.id, mode)).rejects.toMatchObject({ code: 'SESSION_UNREADABLE' });
    }
  });

  test('while a torn end is cut says so, and cuts it the next time', async () => {
    const made = await madeSession();
    writeFileSync(made.journal, made.bytes.subarray(0, -9));
    const fs = faultyFileSystem();
    fs.truncate = () => {
      throw errnoError('EIO');
    };
    const store = temporaryStore({ root: made.store.root, fs });
    await expect(store.open(made.id, 'write')).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    expect(await openedToWrite(made)).toBe(11);
  });

  test('and that has lost what was durable is not written over (G6)', async () => {
    const made = await madeSession();
    const fs = faultyFileSystem();
    const store = temporaryStore({ root: made.store.root, fs, lockHelpers: [() => 'locked'] });
    await using session = await store.open(made.id, 'write');
    fs.fail(2, { type: 'error', errno: 'EIO', sticky: false });
    await expect(session.append([said('lost')])).rejects.toMatchObject({ code: 'SAVE_FAILED' });
    const changed = Buffer.from(made.bytes);
    changed.fill(0, 100, 200);
    writeFileSync(made.journal, changed);
    await expect(session.append([said('more')])).rejects.toMatchObject({
      code: 'SAVE_FAILED',
      message: expect.stringContaining('previously saved events cannot be read back'),
    });
  });
});

describe('a changed byte', () => {
  test('anywhere in a journal is found (G4, F8)', async () => {
    const made = await madeSession();
    const { bytes, journal, folder } = made;
    const all = await eventsIn(made);
    const starts = lineStarts(bytes);
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const line = starts.filter((start) => start <= at).length;
      const isLast = line === 12;
      const expected = { at, status: isLast ? 'torn' : 'damaged', records: line - 1 };
      expect({ at, ...scanOf(changed) }).toEqual(expected);
      if (isLast || at % 100 !== 0) continue;

      writeFileSync(journal, changed);
      expect(await openedToWrite(made)).toBe('SESSION_DAMAGED');
      expect(readFileSync(journal).equals(changed)).toBe(true);
      expect(backups(folder)).toEqual([]);
      if (line > 1) expect(await eventsIn(made)).toEqual(all.slice(0, line - 1));
    }
  });

  test.for([
    ['512 zero bytes', 512, 0],
    ['64 bytes of something else', 64, 0x41],
  ] as const)('and %s in the middle are found (G4, F8)', async ([, length, value]) => {
    const made = await madeSession();
    await fc.assert(
      fc.asyncProperty(fc.nat(made.bytes.length - 2000), async (at) => {
        const changed = Buffer.from(made.bytes);
        changed.fill(value, at, at + length);
        writeFileSync(made.journal, changed);
        expect(await openedToWrite(made)).toBe('SESSION_DAMAGED');
      }),
      { numRuns: 100 },
    );
  });

  test('is never the end of the program, wherever the file is cut or filled (F7)', async () => {
    const made = await madeSession();
    await fc.assert(
      fc.asyncProperty(fc.nat(made.bytes.length), fc.uint8Array({ maxLength: 40 }), async (end, tail) => {
        writeFileSync(made.journal, Buffer.concat([made.bytes.subarray(0, end), tail]));
        const result = await made.store.capabilities.doctor.examine(made.id);
        expect(['ok', 'torn', 'missing', 'damaged']).toContain(result.status);
        expect(result.records).toBeLessThanOrEqual(12);
      }),
      { numRuns: 300 },
    );
  });
});

describe('lines', () => {
  /** The lines of a journal, changed. */
  async function withLines(change: (lines: string[]) => string[]): Promise<Made> {
    const made = await madeSession();
    const lines = made.bytes.toString().split('\n').slice(0, -1);
    writeFileSync(
      made.journal,
      change(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    return made;
  }

  async function findings(made: Made): Promise<unknown> {
    const before = readFileSync(made.journal);
    const code = await openedToWrite(made);
    expect(readFileSync(made.journal).equals(before)).toBe(true);
    const { where, records } = await made.store.capabilities.doctor.examine(made.id);
    return { code, line: where?.line, kind: where?.kind, records };
  }

  test('that are missing are found (G4, F9)', async () => {
    const made = await withLines((lines) => lines.toSpliced(4, 1));
    expect(await findings(made)).toEqual({ code: 'SESSION_DAMAGED', line: 5, kind: 'gap', records: 4 });
  });

  test('that stand twice are found, also at the end (G4, F9)', async () => {
    const middle = await withLines((lines) => lines.toSpliced(4, 0, lines[4] ?? ''));
    expect(await findings(middle)).toEqual({
      code: 'SESSION_DAMAGED',
      line: 6,
      kind: 'duplicate',
      records: 5,
    });
    const end = await withLines((lines) => [...lines, lines.at(-1) ?? '']);
    expect(await findings(end)).toEqual({
      code: 'SESSION_DAMAGED',
      line: 13,
      kind: 'duplicate',
      records: 12,
    });
  });

  test('that changed places are found (G4, F9)', async () => {
    const made = await withLines((lines) => lines.toSpliced(4, 2, lines[5] ?? '', lines[4] ?? ''));
    expect(await findings(made)).toEqual({ code: 'SESSION_DAMAGED', line: 5, kind: 'swap', records: 4 });
  });

  test('of another session are found (G4, F9)', async () => {
    const other = await madeSession(Date.parse('2027-01-01'));
    const foreign = other.bytes.toString().split('\n')[6] ?? '';
    const made = await withLines((lines) => lines.toSpliced(6, 1, foreign));
    expect(await findings(made)).toMatchObject({ code: 'SESSION_DAMAGED', kind: 'chain' });
  });

  test('that someone wrote by hand are found', async () => {
    const made = await withLines((lines) => lines.toSpliced(4, 0, '{"v":1,"seq":5,"event":{}}'));
    expect(await findings(made)).toEqual({ code: 'SESSION_DAMAGED', line: 5, kind: 'bad-line', records: 4 });
  });

  test('with CRLF are found (F9)', async () => {
    const made = await withLines((lines) => lines.map((line) => `${line}\r`));
    expect(await findings(made)).toEqual({ code: 'SESSION_DAMAGED', line: 1, kind: 'bad-line', records: 0 });
  });

  test('behind a byte order mark are found (F9)', async () => {
    const made = await withLines((lines) => lines.toSpliced(0, 1, `\uFEFF${lines[0] ?? ''}`));
    expect(await findings(made)).toEqual({ code: 'SESSION_DAMAGED', line: 1, kind: 'bad-line', records: 0 });
  });

  test('in the middle leave what is before them to be read', async () => {
    const made = await withLines((lines) => lines.toSpliced(4, 1));
    await using session = await made.store.open(made.id, 'read');
    expect(session.version).toBe(4);
    expect(session.notices).toEqual([
      `session ${made.id} is damaged at line 5: event 5 is missing; only earlier events are shown`,
    ]);
  });

  test('of which the first is bad leave nothing to be read', async () => {
    const made = await withLines((lines) => lines.slice(1));
    await expect(made.store.open(made.id, 'read')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
  });
});

/** What a process left that died while it made a session: no transcript, and of the journal what is given. */
async function unborn(content?: string): Promise<Made> {
  const made = await madeSession();
  for (const name of readdirSync(made.folder)) if (name !== 'lock') rmSync(path.join(made.folder, name));
  if (content !== undefined) writeFileSync(made.journal, content, { mode: 0o600 });
  return made;
}

async function listed({ store }: Made): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { id, status } of store.list()) found.push({ id, status });
  return found;
}

describe('a session that cannot be read', () => {
  const damages: readonly (readonly [string, (whole: Buffer) => Buffer | undefined])[] = [
    ['zeros', (whole) => Buffer.alloc(whole.length)],
    ['half of its first record', (whole) => whole.subarray(0, 90)],
    ['bytes without a line end', () => Buffer.from('x'.repeat(500))],
    ['nothing', () => Buffer.alloc(0)],
    ['no journal', () => undefined],
  ];
  test.for(damages)('and has %s is kept, listed, and told of (G3, G4)', async ([, damage]) => {
    const made = await madeSession();
    const bytes = damage(made.bytes);
    if (bytes === undefined) rmSync(made.journal);
    else writeFileSync(made.journal, bytes);
    const files = (): unknown =>
      readdirSync(made.folder).map((name) => [name, readFileSync(path.join(made.folder, name))]);
    const before = files();
    const { store, id, folder } = made;
    const damaged = { code: 'SESSION_DAMAGED', hint: expect.stringContaining(`hitl doctor ${id}`) as string };
    await expect(store.open(id, 'read')).rejects.toMatchObject(damaged);
    await expect(store.open(id, 'write')).rejects.toMatchObject(damaged);
    await expect(store.create({ agent, id })).rejects.toMatchObject({ code: 'SESSION_EXISTS' });
    expect(await store.resolve(id.slice(0, 10))).toBe(id);
    expect(await listed(made)).toEqual([{ id, status: 'unreadable' }]);
    expect(await store.capabilities.doctor.examine(id)).toMatchObject({
      status: 'damaged',
      records: 0,
      remedies: [
        `hitl import ${folder}/transcript.json creates a new session from this one's conversation`,
        'or replace the journal with a copy from a backup',
        `or remove it: hitl rm ${id}`,
      ],
    });
    expect(await store.capabilities.doctor.survey()).toMatchObject([
      { what: 'sessions' },
      { what: 'store', status: 'warning', found: '1 session, 1 unreadable', hint: `hitl doctor ${id}` },
    ]);
    expect(files()).toEqual(before);
    await store.remove(id);
    expect(existsSync(folder)).toBe(false);
  });

  test('is kept also where half of a record is all that was ever written', async () => {
    const made = await unborn('{"v":1,"seq":1,"prev":"0000');
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject({ code: 'SESSION_DAMAGED' });
    expect(await listed(made)).toEqual([{ id: made.id, status: 'unreadable' }]);
    expect(await made.store.capabilities.doctor.examine(made.id)).toMatchObject({
      status: 'damaged',
      remedies: ['replace the journal with a copy from a backup', `or remove it: hitl rm ${made.id}`],
    });
  });
});

describe('a session that was never confirmed (P0)', () => {
  const contents = [
    ['an empty journal', ''],
    ['no journal', undefined],
  ] as const;
  test.for(contents)('with %s is no session, and opening it clears it away', async ([, content]) => {
    const made = await unborn(content);
    const missing = { code: 'SESSION_NOT_FOUND' };
    await expect(made.store.open(made.id, 'read')).rejects.toMatchObject(missing);
    expect(existsSync(made.folder)).toBe(true);
    expect(await made.store.capabilities.doctor.examine(made.id)).toMatchObject({ status: 'missing' });
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject(missing);
    expect(existsSync(made.folder)).toBe(false);
  });

  test.for(contents)('with %s is cleared away by the next list', async ([, content]) => {
    const made = await unborn(content);
    expect(await listed(made)).toEqual([]);
    expect(readdirSync(made.store.root)).toEqual([]);
  });

  test('is left alone while a process makes it', async () => {
    const { store, folder, id } = await unborn();
    const busy = temporaryStore({ root: store.root, lockHelpers: [() => 'held'] });
    expect(await listed({ store: busy } as Made)).toEqual([]);
    expect(await busy.capabilities.doctor.survey()).toHaveLength(2);
    expect(existsSync(folder)).toBe(true);
    await expect(busy.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  });

  test('that is taken for a leftover while it is made is made under another id', async () => {
    const answers = ['held', 'held', 'locked'] as const;
    let asked = 0;
    const store = temporaryStore({ lockHelpers: [() => answers[asked++]] });
    await using session = await store.create({ agent });
    expect(readdirSync(store.root).sort().indexOf(session.id)).toBe(2);
  });

  test('is not cleared away with what somebody else put there', async () => {
    const made = await unborn();
    const missing = { code: 'SESSION_NOT_FOUND' };
    writeFileSync(path.join(made.folder, 'notes.txt'), 'mine');
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject(missing);
    writeFileSync(made.journal, '', { mode: 0o600 });
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject(missing);
    expect(await listed(made)).toEqual([]);
    expect(readFileSync(path.join(made.folder, 'notes.txt'), 'utf8')).toBe('mine');

    rmSync(made.journal);
    rmSync(path.join(made.folder, 'lock'));
    await expect(made.store.open(made.id, 'write')).rejects.toMatchObject(missing);
    expect(readdirSync(made.folder)).toEqual(['notes.txt']);
  });

  test('gives its id to a new one', async () => {
    const made = await unborn('');
    await using session = await made.store.create({ agent, id: made.id });
    expect(session.version).toBe(2);
  });

  test('is not one whose only record was destroyed', async () => {
    const made = await madeSession();
    const first = made.bytes.subarray(0, lineStarts(made.bytes)[1]);
    first[20] = 0x58;
    writeFileSync(made.journal, first);
    expect(await openedToWrite(made)).toBe('SESSION_DAMAGED');
  });
});
