import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

import { describe, expect, onTestFinished, test } from 'vitest';

import { nodeFileSystem } from '../../sessions/disk/file-system.js';
import { createFileStore } from '../../sessions/index.js';
import type { FileStore, FileStoreOptions } from '../../sessions/index.js';
import { flockHelper, LOCK_HELPERS, perlHelper } from '../../sessions/kernel-lock.js';
import type { ProcessTable } from '../../sessions/lock-owner.js';
import { systemProcesses } from '../../sessions/lock-owner.js';
import { errnoError } from './faulty-file-system.js';
import { newSession, race, startChild } from './lock-processes.js';
import { agent, said } from './sample-events.js';
import { temporaryStore, tickingClock } from './temporary-store.js';

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
    const store = temporaryStore();
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
        detail: { pid: child.pid, host: os.hostname(), since: expect.any(String), isStale: false },
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
    const store = temporaryStore();
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
    const store = temporaryStore();
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
    const store = temporaryStore();
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
    const store = temporaryStore();
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
    const store = temporaryStore({ lockHelpers: [helper] });
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
    const store = temporaryStore({ lockHelpers: [flockHelper('no-such-program'), flockHelper()] });
    const id = await newSession(store);
    expect(existsSync(path.join(store.root, id, 'lock.pid'))).toBe(false);
    await using session = await store.open(id, 'write');
    await expect(store.open(id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    expect(session.mode).toBe('write');
  });

  test('says little of a holder that has not written its name', async () => {
    const store = temporaryStore({ lockHelpers: [() => 'held'] });
    await expect(store.create({ agent })).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      message: expect.stringMatching(/is in use by another process$/),
    });
  });

  test('counts for nothing where the locked file is not at its place any more', async () => {
    const store = temporaryStore();
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
  const none = { lockHelpers: [] };

  function table(changes: Partial<ProcessTable>): ProcessTable {
    return { ...systemProcesses(os.hostname()), ...changes };
  }

  test('a session is locked by a file that names its holder', async () => {
    const store = temporaryStore(none);
    const id = await newSession(store);
    const pidFile = path.join(store.root, id, 'lock.pid');
    expect(existsSync(pidFile)).toBe(false);
    const holder = await store.open(id, 'write');
    expect(JSON.parse(readFileSync(pidFile, 'utf8'))).toMatchObject({ pid: process.pid });
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      detail: { pid: process.pid, isStale: false },
    });
    await holder.append([said('hello')]);
    await holder[Symbol.asyncDispose]();
    expect(existsSync(pidFile)).toBe(false);
  });

  test('a session says who holds it, and who else wants it is told in time', async () => {
    const store = temporaryStore(none);
    const id = await newSession(store);
    const lock = path.join(store.root, id, 'lock');
    await using holder = await store.open(id, 'write');
    expect((await store.capabilities.doctor.examine(holder.id)).owner).toMatchObject({
      pid: process.pid,
      isAlive: true,
    });
    writeFileSync(lock, '');
    expect((await store.capabilities.doctor.examine(id)).owner).toMatchObject({
      pid: process.pid,
      isAlive: true,
    });

    const fs = nodeFileSystem(); // sees the file of the other one too late
    const late = { ...fs, lookUp: (file: string) => (file.endsWith('.pid') ? undefined : fs.lookUp(file)) };
    await expect(again(store, { ...none, fs: late }).open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      detail: { pid: process.pid },
    });
  });

  test('and without space for that file nothing is written', async () => {
    const store = temporaryStore(none);
    const id = await newSession(store);
    const fs = nodeFileSystem();
    const full = {
      ...fs,
      open: (file: string, flags: number, mode: number) => {
        if (file.endsWith('.pid')) throw errnoError('ENOSPC');
        return fs.open(file, flags, mode);
      },
    };
    await expect(again(store, { ...none, fs: full }).open(id, 'write')).rejects.toMatchObject({
      code: 'SAVE_FAILED',
    });
  });

  test('the lock of a dead holder is taken over only when someone says so', async () => {
    const store = temporaryStore(none);
    const id = await newSession(store);
    const { boot, started } = systemProcesses(os.hostname());
    const owner = { pid: process.pid, host: os.hostname(), since: '2026-01-01T00:00:00.000Z' };
    const pidFile = path.join(store.root, id, 'lock.pid');
    const dead = [
      { ...owner, pid: 4_194_300, started: '1', boot: boot() },
      { ...owner, started: '1', boot: boot() },
      { ...owner, started: started(process.pid), boot: 'an earlier one' },
    ];
    for (const one of dead) {
      writeFileSync(pidFile, JSON.stringify(one));
      await expect(store.open(id, 'write')).rejects.toMatchObject({
        code: 'SESSION_LOCKED',
        message: expect.stringContaining('which is gone'),
        hint: expect.stringContaining('--unlock'),
        detail: { isStale: true },
      });
      await using session = await again(store, { ...none, takeOver: true }).open(id, 'write');
      expect(session.mode).toBe('write');
    }
  });

  test.for([
    ['on another machine', { pid: 1, host: 'elsewhere', since: '2026-01-01T00:00:00.000Z' }],
    ['that is not known', 'nonsense'],
  ] as const)('the lock of a holder %s is never taken over', async ([, owner]) => {
    const store = temporaryStore({ ...none, takeOver: true });
    const id = await newSession(store);
    writeFileSync(path.join(store.root, id, 'lock.pid'), JSON.stringify(owner));
    await expect(store.open(id, 'write')).rejects.toMatchObject({
      code: 'SESSION_LOCKED',
      detail: { isStale: false },
    });
  });

  test('a process with a kernel lock respects one without, and the other way round', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const plain = again(store, none);
    {
      await using holder = await plain.open(id, 'write');
      await expect(store.open(holder.id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
    }
    await using holder = await store.open(id, 'write');
    await expect(plain.open(holder.id, 'write')).rejects.toMatchObject({ code: 'SESSION_LOCKED' });
  });

  test('and without a way to tell processes apart nothing is written', async () => {
    const store = temporaryStore();
    const id = await newSession(store);
    const blind = again(store, { ...none, processes: table({ boot: () => undefined }) });
    await expect(blind.open(id, 'write')).rejects.toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      hint: expect.stringContaining('util-linux'),
    });
    await using reader = await blind.open(id, 'read');
    expect(reader.version).toBe(2);
  });
});
