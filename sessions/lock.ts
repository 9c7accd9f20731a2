import type { LockOwner } from '../src/core/index.js';
import { errnoOf, HitlError } from '../src/core/index.js';
import { runProgram } from '../src/programs/index.js';
import { asSaveFailed } from './disk/errno.js';
import { writeWhole } from './disk/atomic-write.js';
import { OPEN } from './disk/file-system.js';
import { openSafely, readText } from './disk/safe-open.js';
import type { FileSystem } from './disk/file-system.js';
import type { ProcessTable } from './lock-owner.js';
import { ownerHere, parseOwner } from './lock-owner.js';

// Invariants:
// L1 The lock file is only ever created: who deletes it while it is held lets a second holder in.
// L2 A lock counts only when the file that was locked is still the one at its path.
// L3 The text in the file never decides where the kernel locks; it is there to be shown.
// L4 Without a kernel lock nothing is written: there is no weaker lock.

/**
 * Acquires a kernel lock on an open file. The lock is held until the descriptor is closed or the process
 * ends, even by a crash. Returns `undefined` if this helper does not work on this system.
 */
export type LockHelper = (fd: number) => 'locked' | 'held' | undefined;

const TIMEOUT_MS = 5000;
/** The number of the descriptor in helper processes. */
const CHILD_FD = 3;
const NONE_NOW: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE']);

function viaProcess(command: string, args: readonly string[]): LockHelper {
  return (fd) => {
    const { status, error } = runProgram(
      'lock',
      { program: command, args },
      { stdio: ['ignore', 'ignore', 'ignore', fd], timeout: TIMEOUT_MS },
    );
    // The helper is there, and the system starts no process now.
    if (error !== undefined && NONE_NOW.has(errnoOf(error) ?? '')) throw error;
    if (status === 0) return 'locked';
    return status === 1 ? 'held' : undefined;
  };
}

/** Creates a helper that uses the `flock(1)` command of util-linux or busybox. */
export function flockHelper(command = 'flock'): LockHelper {
  return viaProcess(command, ['-n', String(CHILD_FD)]);
}

/** Creates a helper that makes the same system call through perl, for systems without `flock(1)`. */
export function perlHelper(command = 'perl'): LockHelper {
  const script = `use Fcntl ":flock"; open(my $f, "+<&=${CHILD_FD}") or exit 2; exit(flock($f, LOCK_EX | LOCK_NB) ? 0 : 1)`;
  return viaProcess(command, ['-e', script]);
}

/** The lock helpers, in the order in which they are tried. */
export const LOCK_HELPERS: readonly LockHelper[] = [flockHelper(), perlHelper()];

/** The dependencies of locks. */
export interface LockOptions {
  readonly fs: FileSystem;
  readonly processes: ProcessTable;
  readonly helpers: readonly LockHelper[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A lock that is held until it is released or the process ends. */
export interface HeldLock {
  release(): void;
}

/** Formats the timestamp in a lock file, for example `2026-11-22 04:46 UTC`. */
function minuteOf(time: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/u.test(time) ? `${time.slice(0, 16).replace('T', ' ')} UTC` : time;
}

function lockedError(what: string, owner: LockOwner | undefined): HitlError {
  const who =
    owner === undefined
      ? 'another process'
      : `process ${owner.pid} on ${owner.host} since ${minuteOf(owner.since)}`;
  return new HitlError('SESSION_LOCKED', `${what} is in use by ${who}`, {
    hint: 'use `hitl answer` to answer its questions, `hitl send` to message it, or `hitl show` to read it',
    ...(owner !== undefined && { detail: { pid: owner.pid, host: owner.host, since: owner.since } }),
  });
}

/** Reads the owner from a lock file, for display. */
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
 * Acquires a lock or fails immediately. Never waits.
 * @param what the name of the locked object in messages, for example `session 01k…`.
 * @throws HitlError SESSION_LOCKED, LOCK_UNAVAILABLE (L4), SAVE_FAILED, SESSION_NOT_FOUND if the file is gone
 * (L2).
 */
export function acquireLock(file: string, what: string, options: LockOptions): HeldLock {
  const { fs, helpers } = options;
  const fd = openForLocking(fs, file, what);
  try {
    const result = tryHelpers(helpers, fd);
    if (result === 'held') throw lockedError(what, readOwner(fs, file));
    if (!isStillAt(fs, file, fd)) throw new HitlError('SESSION_NOT_FOUND', `${what} was removed`); // L2
    if (result === undefined)
      throw new HitlError('LOCK_UNAVAILABLE', `cannot lock ${what} with flock(1) or perl`, {
        hint: 'install util-linux or perl, or keep sessions in PostgreSQL; without a lock, two processes could write to the same session',
      });
    writeOwner(fs, fd, options);
    return {
      release: () => {
        clearOwner(fs, fd);
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
