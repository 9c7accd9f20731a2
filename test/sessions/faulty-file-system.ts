import { truncateSync } from 'node:fs';
import path from 'node:path';

import type { FileSystem } from '../../sessions/disk/file-system.js';
import { nodeFileSystem } from '../../sessions/disk/file-system.js';

/** What goes wrong with one operation. */
export type Fault =
  /** It fails; `sticky`: so does everything after it. */
  | { readonly type: 'error'; readonly errno: string; readonly sticky: boolean }
  /** The process dies before or after it; nothing that it asks of the disk afterwards happens. */
  | { readonly type: 'crash'; readonly when: 'before' | 'after' }
  /** A write takes only half of its bytes, and then fails. */
  | { readonly type: 'short'; readonly errno: string };

/** The death of the process, for whoever waits for its operations. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

export function errnoError(errno: string): Error {
  return Object.assign(new Error(`${errno}: injected`), { code: errno, errno: -1, syscall: 'injected' });
}

export interface FaultyFileSystem extends FileSystem {
  /** Lets the n-th changing operation from now on fail; the first is 1. */
  fail(n: number, fault: Fault): void;
  /** No more faults, except that the dead stay dead. */
  heal(): void;
  /** Whether the fault has struck. */
  readonly struck: boolean;
  /** Names of the changing operations so far. */
  readonly operations: readonly string[];
  /** Base names of what was flushed so far, in order. */
  readonly flushes: readonly string[];
  /** What of a file is left when the power goes: what was flushed. */
  cutPower(file: string): void;
  /** How many descriptors are open. */
  readonly openFiles: number;
}

/** The disk without flushes, and with a fault at one of the operations that change something (opening counts). */
export function faultyFileSystem(real: FileSystem = nodeFileSystem()): FaultyFileSystem {
  const operations: string[] = [];
  const open = new Map<number, string>();
  const flushes: string[] = [];
  const flushed = new Map<number, number>();
  let fault: Fault | undefined;
  let countdown = 0;
  let struck = false;
  let isDead = false;

  /** Counts an operation, and says what goes wrong with it. */
  function due(name: string): Fault | undefined {
    if (isDead) throw new Crash('the process is dead');
    operations.push(name);
    countdown -= 1;
    if (fault === undefined || (countdown !== 0 && !(struck && isSticky(fault)))) return undefined;
    struck = true;
    if (fault.type !== 'crash') throw errnoError(fault.errno);
    isDead = true;
    if (fault.when === 'before') throw new Crash('the process died');
    return fault;
  }

  function guard<T>(name: string, run: () => T): T {
    const isLast = due(name) !== undefined;
    const result = run();
    if (isLast) throw new Crash('the process died');
    return result;
  }

  /** Flushing a file only notes how long it was: that is what a power cut leaves of it. */
  async function guardAsync(name: string, fd: number): Promise<void> {
    const isLast = due(name) !== undefined;
    const { ino, size } = real.factsOf(fd);
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    flushed.set(ino, size);
    flushes.push(path.basename(open.get(fd) ?? ''));
    if (isLast) throw new Crash('the process died');
  }

  return {
    ...real,
    open: (file, flags, mode) => {
      const fd = guard('open', () => real.open(file, flags, mode));
      open.set(fd, file);
      return fd;
    },
    close: (fd) => {
      open.delete(fd);
      real.close(fd);
    },
    write: (fd, bytes, from) => {
      if (fault?.type === 'short' && countdown === 1 && bytes.length - from > 1) {
        const half = bytes.subarray(0, from + Math.ceil((bytes.length - from) / 2));
        return real.write(fd, half, from);
      }
      return guard('write', () => real.write(fd, bytes, from));
    },
    truncate: (fd, length) => {
      guard('truncate', () => {
        real.truncate(fd, length);
      });
    },
    datasync: (fd) => guardAsync('datasync', fd),
    sync: (fd) => guardAsync('sync', fd),
    changeMode: (file, mode) => {
      guard('changeMode', () => {
        real.changeMode(file, mode);
      });
    },
    makeFolder: (file, mode) => {
      guard('makeFolder', () => {
        real.makeFolder(file, mode);
      });
    },
    rename: (from, to) => {
      guard('rename', () => {
        real.rename(from, to);
      });
    },
    remove: (file) => {
      guard('remove', () => {
        real.remove(file);
      });
    },
    removeFolder: (file) => {
      guard('removeFolder', () => {
        real.removeFolder(file);
      });
    },
    fail: (n, given) => {
      fault = given;
      countdown = n;
      struck = false;
    },
    heal: () => {
      fault = undefined;
    },
    cutPower: (file) => {
      const facts = real.lookUp(file);
      if (facts !== undefined) truncateSync(file, Math.min(facts.size, flushed.get(facts.ino) ?? 0));
    },
    get struck() {
      return struck;
    },
    get operations() {
      return operations;
    },
    get flushes() {
      return flushes;
    },
    get openFiles() {
      return open.size;
    },
  };
}

function isSticky(fault: Fault): boolean {
  return fault.type === 'error' && fault.sticky;
}
