import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import { createFileStore } from '../../sessions/index.js';
import type { FileStore, FileStoreOptions } from '../../sessions/index.js';
import { flockHelper, LOCK_HELPERS, perlHelper } from '../../sessions/lock.js';
import { errnoError } from './faulty-file-system.js';
import { newSession, race, startChild } from './lock-processes.js';
import { agent, confirmation, transferTurn } from './sample-events.js';
import { storeOfProcesses, tickingClock } from './temporary-store.js';

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      resolve();
    });
  });
  child.kill('SIGKILL');
  await gone;
}

function again(store: FileStore & { readonly root: string }, options: Partial<FileStoreOptions>): FileStore {
  return createFileStore({ root: store.root, clock: tickingClock(), random: randomBytes, ...options });
}

describe('the lock of a session', () => {
  test('is held by one of two processes at a time, 40 times each (G23, F17)', async () => {
    await race(2, 40);
  });

  test('names its holder to others, who may read, and is free at once when that one is killed (G23)', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const { child } = await startChild('hold', store.root, id);
    const times: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const begun = performance.now();
      await expect(store.open(id, 'write')).rejects.toMatchObject({
        code: 'SESSION_LOCKED',
        message: expect.stringContaining(
          `is in use by process ${String(child.pid)} on ${os.hostname()} since 20`,
        ),
        hint: expect.stringContaining('hitl show'),
        detail: { pid: child.pid, host: os.hostname(), since: expect.any(String) },
      });
      times.push(performance.now() - begun);
    }
    // The least: a busy machine makes some slower, none faster.
    expect(Math.min(...times)).toBeLessThan(1000);
    await using reader = await store.open(id, 'read');
    expect(reader.version).toBe(2);
    expect((await store.capabilities.doctor.examine(id)).owner).toMatchObject({
      pid: child.pid,
      isAlive: true,
    });
    expect(await store.isWritten(id)).toBe(true);

    child.kill('SIGSTOP');
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await killed(child);
    expect((await store.capabilities.doctor.examine(id)).owner).toMatchObject({
      pid: child.pid,
      isAlive: false,
    });
    expect(await store.isWritten(id)).toBe(false);
    await using writer = await store.open(id, 'write');
    expect(writer.notices).toEqual([]);
  });

  test('does not live on in a child of a killed holder (G23)', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const { child, line } = await startChild('hold-with-child', store.root, id);
    const orphan = Number(line['child']);
    onTestFinished(() => {
      process.kill(orphan, 'SIGKILL');
    });
    await killed(child);
    expect(process.kill(orphan, 0)).toBe(true);
    await using writer = await store.open(id, 'write');
    expect(writer.mode).toBe('write');
  });

  test('of a session that is gone is not taken', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const fs = nodeFileSystem();
    const late = {
      ...fs,
      open: (file: string, flags: number, mode: number) => {
        if (file.endsWith('lock')) rmSync(path.join(store.root, id), { recursive: true });
        return fs.open(file, flags, mode);
      },
    };
    await expect(again(store, { fs: late }).open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_NOT_FOUND',
      message: `session ${id} was removed`,
    });
  });

  test('holds also where its holder cannot write its name (L3)', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const fs = nodeFileSystem();
    const full = {
      ...fs,
      truncate: () => {
        throw errnoError('ENOSPC');
      },
    };
    const holder = await again(store, { fs: full }).open(id, 'write');
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    await holder[Symbol.asyncDispose]();
    await using next = await store.open(id, 'write');
    expect(next.mode).toBe('write');
  });

  test('is given back with an empty file that stays', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const lock = path.join(store.root, id, 'lock');
    expect(readFileSync(lock, 'utf8')).toBe('');
    {
      await using session = await store.open(id, 'write');
      expect(session.mode).toBe('write');
      expect(JSON.parse(readFileSync(lock, 'utf8'))).toMatchObject({ pid: process.pid, host: os.hostname() });
    }
    expect(readFileSync(lock, 'utf8')).toBe('');
  });

  test.for([
    ['flock(1)', flockHelper()],
    ['perl', perlHelper()],
  ] as const)('can be taken with %s, and then not with any other', async ([, helper]) => {
    const store = storeOfProcesses({ lockHelpers: [helper] });
    const id = await newSession(store);
    const holder = await store.open(id, 'write');
    for (const other of LOCK_HELPERS) {
      await expect(again(store, { lockHelpers: [other] }).open(id, 'write')).rejects.toMatchObject({
        code: 'SESSION_LOCKED',
      });
    }
    await holder[Symbol.asyncDispose]();
    await using next = await store.open(id, 'write');
    expect(next.mode).toBe('write');
  });

  test('is tried with the next helper where one is not there', async () => {
    const store = storeOfProcesses({ lockHelpers: [flockHelper('no-such-program'), flockHelper()] });
    const id = await newSession(store);
    await using session = await store.open(id, 'write');
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    expect(session.mode).toBe('write');
  });

  test('says little of a holder that has not written its name', async () => {
    const store = storeOfProcesses({ lockHelpers: [() => 'held'] });
    await expect(store.create({ agent })).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      message: expect.stringMatching(/is in use by another process$/),
    });
  });

  test('counts for nothing where the locked file is not at its place any more', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const folder = path.join(store.root, id);
    const moving = again(store, {
      lockHelpers: [
        () => {
          renameSync(folder, `${folder}-removed`);
          return 'locked';
        },
      ],
    });
    await expect(moving.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    mkdirSync(folder);
    rmSync(folder, { recursive: true });
  });
});

describe('without a kernel lock', () => {
  const none = { lockHelpers: [flockHelper('no-such-program'), perlHelper('no-such-program')] };
  const refused = {
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringMatching(/^cannot lock session \w+ with flock\(1\) or perl$/) as string,
    hint: expect.stringContaining('util-linux') as string,
  };

  test('a session is read, and not written (L4)', async () => {
    const store = storeOfProcesses();
    const id = await newSession(store);
    const before = readFileSync(path.join(store.root, id, 'journal.jsonl'), 'utf8');
    const without = again(store, none);
    await expect(without.open(id, 'write')).rejects.toMatchObject(refused);
    await using reader = await without.open(id, 'read');
    expect(reader.version).toBe(2);
    expect(readdirSync(path.join(store.root, id)).filter((name) => name.startsWith('lock'))).toEqual([
      'lock',
    ]);
    expect(readFileSync(path.join(store.root, id, 'journal.jsonl'), 'utf8')).toBe(before);
  });

  test('none begins (L4)', async () => {
    const store = storeOfProcesses(none);
    await expect(store.create({ agent })).rejects.toMatchObject(refused);
    for await (const { id } of store.list()) expect.fail(`${id} has begun`);
  });

  test('no answer and no message is left for a session (L4)', async () => {
    const store = storeOfProcesses();
    const session = await store.create({ agent });
    await session.append(transferTurn().slice(0, 5));
    const { id } = session;
    await session[Symbol.asyncDispose]();
    const { id: interrupt, digest } = confirmation('i1', 'a', { amount: 200 });
    const by = { type: 'person', name: 'ann', via: 'library' } as const;
    const answer = { id: interrupt, digest, resolution: { action: 'restart' }, by } as const;
    await expect(again(store, none).post(id, answer)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect(existsSync(path.join(store.root, id, 'inbox.jsonl'))).toBe(false);
  });
});
