import { randomBytes } from 'node:crypto';
import { fstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { onTestFinished } from 'vitest';

import type { FileStore, FileStoreOptions } from '../../sessions/index.js';
import { createFileStore } from '../../sessions/index.js';
import type { LockHelper } from '../../sessions/lock.js';
import { LOCK_HELPERS } from '../../sessions/lock.js';
import type { Answer, Clock, Posted, SessionId, SessionStore } from '../../src/core/index.js';

/** A clock that moves by one second each time it is asked. */
export function tickingClock(start = Date.parse('2026-01-02T03:00:00.000Z')): Clock {
  let now = start;
  return {
    now: () => (now += 1000),
    sleep: (_ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) reject(signal.reason as Error);
        else setImmediate(resolve);
      }),
  };
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'hitl-sessions-'));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The descriptor that holds each locked file of this process, by inode. It holds it for as long as it is open. */
const held = new Map<string, number>();

function inodeOf(fd: number): string | undefined {
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined; // it is closed
  }
}

/**
 * Locks files between the stores of this process, as `flock(1)` does between processes. Starting a program for each lock
 * took a quarter of the time of these tests.
 */
const lockInProcess: LockHelper = (fd) => {
  const inode = inodeOf(fd);
  if (inode === undefined) return undefined;
  const holder = held.get(inode);
  if (holder !== undefined && holder !== fd && inodeOf(holder) === inode) return 'held';
  held.set(inode, fd);
  return 'locked';
};

/** A store in a folder that is removed after the test. Its locks hold in this process alone. */
export function temporaryStore(
  options: Partial<FileStoreOptions> = {},
): FileStore & { readonly root: string } {
  const root = options.root ?? path.join(temporaryFolder(), 'sessions');
  const store = createFileStore({
    ...{ clock: tickingClock(), random: randomBytes, lockHelpers: [lockInProcess] },
    ...{ ...options, root },
  });
  return Object.assign(store, { root });
}

/** A store whose locks hold among all processes, as in the program. */
export function storeOfProcesses(
  options: Partial<FileStoreOptions> = {},
): FileStore & { readonly root: string } {
  return temporaryStore({ lockHelpers: LOCK_HELPERS, ...options });
}

/** Leaves an answer in a session that somebody writes: where nobody does, this process for as long as it takes. */
export async function leave(
  store: SessionStore,
  id: SessionId,
  answer: Answer,
  signal: AbortSignal,
): Promise<Posted> {
  const writer = await store.open(id, 'write').catch(() => undefined);
  try {
    return await store.post(id, answer, { signal });
  } finally {
    await writer?.[Symbol.asyncDispose]();
  }
}

/** Helpers of a system in which somebody else writes the session: its lock is held, and the next ones are free. */
export function heldOnce(): readonly (() => 'locked' | 'held')[] {
  let asked = 0;
  return [() => ((asked += 1) === 1 ? 'held' : 'locked')];
}
