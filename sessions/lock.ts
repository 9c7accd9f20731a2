import type { LockOwner } from '../src/core/index.js';
import { errnoOf, HitlError } from '../src/core/index.js';
import { asSaveFailed, saveFailed } from './disk/errno.js';
import { FILE_MODE, writeWhole } from './disk/atomic-write.js';
import { OPEN } from './disk/file-system.js';
import { openSafely, readText } from './disk/safe-open.js';
import type { FileSystem } from './disk/file-system.js';
import type { LockHelper } from './kernel-lock.js';
import type { ProcessTable } from './lock-owner.js';
import { isOwnerAlive, ownerHere, parseOwner } from './lock-owner.js';

// Invariants:
// L1 The lock file is only ever created: who deletes it while it is held lets a second holder in.
// L2 A lock counts only when the file that was locked is still the one at its path.
// L3 The text in the file never decides where the kernel locks; it is there to be shown.
// L4 Without a kernel lock nothing is taken over by itself: a person says so.

/** The things that locks need of the world. */
export interface LockOptions {
  readonly fs: FileSystem;
  readonly processes: ProcessTable;
  readonly helpers: readonly LockHelper[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Takes over the lock of a dead owner where the system has no kernel lock (L4). Default false. */
  readonly takeOver?: boolean;
}

/** A lock that is held until it is released, or until the process is gone. */
export interface HeldLock {
  release(): void;
}

/** `2026-11-22 04:46 UTC` of a time as the lock file has it. */
function minuteOf(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/u.test(time) ? `${time.slice(0, 16).replace('T', ' ')} UTC` : time;
}

function lockedError(what: string, owner: LockOwner | undefined, isStale: boolean): HitlError {
  const who =
    owner === undefined
      ? 'another process'
      : `process ${owner.pid} on ${owner.host} since ${minuteOf(owner.since)}`;
  const detail =
    owner === undefined ? { isStale } : { pid: owner.pid, host: owner.host, since: owner.since, isStale };
  if (isStale) {
    return new HitlError('SESSION_LOCKED', `${what} was in use by ${who}, which is gone`, {
      hint: 'this system has no kernel lock: if that process is really gone, take the session over with `hitl doctor <id> --unlock`',
      detail,
    });
  }
  return new HitlError('SESSION_LOCKED', `${what} is in use by ${who}`, {
    hint: 'answer its questions from here with `hitl answer`, write to it with `hitl send`, or read it with `hitl show`',
    detail,
  });
}

/** The owner that a lock file names, for showing. */
export function readOwner(fs: FileSystem, file: string): LockOwner | undefined {
  const text = readText(fs, file);
  return text === undefined ? undefined : parseOwner(text);
}

function tryHelpers(helpers: readonly LockHelper[], fd: number): 'locked' | 'held' | undefined {
  for (const helper of helpers) {
    const result = helper(fd);
    if (result !== undefined) return result;
  }
  return undefined;
}

function isStillAt(fs: FileSystem, file: string, fd: number): boolean {
  const here = fs.lookUp(file);
  const ours = fs.factsOf(fd);
  return here?.ino === ours.ino && here.dev === ours.dev;
}

/**
 * Takes a lock or refuses at once; it never waits.
 * @param what names what the lock protects, for messages: `session 01k…`.
 * @throws HitlError SESSION_LOCKED, LOCK_UNAVAILABLE, SAVE_FAILED, SESSION_NOT_FOUND where the file is gone (L2).
 */
export function acquireLock(file: string, what: string, options: LockOptions): HeldLock {
  const { fs, helpers } = options;
  const fd = openForLocking(fs, file, what);
  try {
    const result = tryHelpers(helpers, fd);
    if (result === 'held') throw lockedError(what, readOwner(fs, file), false);
    if (!isStillAt(fs, file, fd)) throw new HitlError('SESSION_NOT_FOUND', `${what} was removed`); // L2
    const release =
      result === 'locked' ? keptByKernel(file, what, options) : createPidFile(file, what, options);
    writeOwner(fs, fd, options);
    return {
      release: () => {
        clearOwner(fs, fd);
        release();
        fs.close(fd);
      },
    };
  } catch (error) {
    fs.close(fd);
    throw error;
  }
}

function openForLocking(fs: FileSystem, file: string, what: string): number {
  try {
    return openSafely(fs, file, OPEN.readWrite | OPEN.create, []);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT')
      throw new HitlError('SESSION_NOT_FOUND', `${what} was removed`, { cause: error });
    throw asSaveFailed(what, error);
  }
}

/** A process that found no helper may hold the same session with a pid file. */
function keptByKernel(file: string, what: string, { fs, processes }: LockOptions): () => void {
  const owner = readOwner(fs, pidFileOf(file));
  if (owner !== undefined && isOwnerAlive(owner, processes) !== false) throw lockedError(what, owner, false);
  return () => undefined;
}

/** The lock file of systems without a kernel lock. */
export function pidFileOf(file: string): string {
  return `${file}.pid`;
}

function createPidFile(file: string, what: string, options: LockOptions): () => void {
  const { fs, processes } = options;
  if (processes.boot() === undefined || processes.started(processes.pid) === undefined) {
    throw new HitlError(
      'LOCK_UNAVAILABLE',
      `${what} cannot be locked: this system has neither flock(1) nor perl nor /proc`,
      {
        hint: 'install util-linux; without a lock two processes could write one session',
      },
    );
  }
  const holder = readOwner(fs, file);
  if (holder !== undefined && isOwnerAlive(holder, processes) === true)
    throw lockedError(what, holder, false);
  const pidFile = pidFileOf(file);
  removeStale(pidFile, what, options);
  let fd: number;
  try {
    fd = fs.open(pidFile, OPEN.readWrite | OPEN.exclusive, FILE_MODE);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw lockedError(what, readOwner(fs, pidFile), false);
    throw saveFailed(what, error);
  }
  try {
    writeOwner(fs, fd, options);
  } finally {
    fs.close(fd);
  }
  return () => {
    try {
      fs.remove(pidFile);
    } catch {
      // the next one is told that its owner is gone (L4)
    }
  };
}

function removeStale(pidFile: string, what: string, { fs, processes, takeOver }: LockOptions): void {
  if (fs.lookUp(pidFile) === undefined) return;
  const owner = readOwner(fs, pidFile);
  const isStale = owner !== undefined && isOwnerAlive(owner, processes) === false;
  if (!isStale || takeOver !== true) throw lockedError(what, owner, isStale); // L4
  fs.remove(pidFile);
}

function writeOwner(fs: FileSystem, fd: number, { processes, now }: LockOptions): void {
  try {
    fs.truncate(fd, 0);
    writeWhole(
      fs,
      fd,
      Buffer.from(`${JSON.stringify(ownerHere(processes, new Date(now()).toISOString()))}\n`),
    );
  } catch {
    // L3: the lock holds without its text, also on a full disk
  }
}

function clearOwner(fs: FileSystem, fd: number): void {
  try {
    fs.truncate(fd, 0);
  } catch {
    // L3: stale text is harmless
  }
}
