import fs from 'node:fs';

import { errnoOf } from '../../src/core/index.js';

/** Properties of a file that are available without reading its content. */
export interface FileFacts {
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly uid: number;
  /** Permission bits only. */
  readonly mode: number;
  readonly mtimeMs: number;
}

/**
 * The disk operations that sessions need. Tests use it to inject faults. All operations throw Node.js errors.
 * Writes are synchronous, so that a written record survives a crash of the process. Flushes are asynchronous,
 * but may block the event loop if they are known to be fast.
 */
export interface FileSystem {
  /** @returns a descriptor that child processes do not inherit */
  open(path: string, flags: number, mode: number): number;
  close(fd: number): void;
  /** Writes once at the current position. May write fewer bytes than requested (G7). */
  write(fd: number, bytes: Uint8Array, from: number): number;
  /** Reads once; returns 0 at the end of the file. */
  read(fd: number, bytes: Uint8Array, position: number): number;
  truncate(fd: number, length: number): void;
  datasync(fd: number): Promise<void>;
  sync(fd: number): Promise<void>;
  factsOf(fd: number): FileFacts;
  /**
   * Returns information about the entry itself, not about the target of a link; `undefined` if it does not
   * exist.
   */
  lookUp(path: string): FileFacts | undefined;
  /** Resolves all links in an existing path. */
  realPath(path: string): string;
  changeMode(path: string, mode: number): void;
  makeFolder(path: string, mode: number): void;
  rename(from: string, to: string): void;
  remove(path: string): void;
  removeFolder(path: string): void;
  /** Returns the names of the entries in a folder, in no particular order. */
  entries(path: string): readonly string[];
  /**
   * Calls `onChange` when a folder changes, if the system reports the change. Returns a function that stops
   * watching.
   */
  watch(path: string, onChange: () => void): () => void;
}

/** Flags for opening files, by purpose. */
export const OPEN = {
  read: fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
  readWrite: fs.constants.O_RDWR | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
  append: fs.constants.O_RDWR | fs.constants.O_APPEND | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK,
  create: fs.constants.O_CREAT,
  exclusive: fs.constants.O_CREAT | fs.constants.O_EXCL,
} as const;

const PERMISSIONS = 0o777;

function factsFrom(stats: fs.Stats): FileFacts {
  const { size, dev, ino, uid, mtimeMs } = stats;
  const mode = stats.mode & PERMISSIONS;
  return { kind: kindOf(stats), size, dev, ino, uid, mode, mtimeMs };
}

function kindOf(stats: fs.Stats): FileFacts['kind'] {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'folder';
  return stats.isSymbolicLink() ? 'link' : 'other';
}

function flushed(
  flush: (fd: number, done: (error: Error | null) => void) => void,
  fd: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    flush(fd, (error) => {
      if (error === null) resolve();
      else reject(error);
    });
  });
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = fs.watch(folder, { persistent: false }, onChange);
    watcher.on('error', () => {
      watcher.close(); // whoever waits looks again from time to time
    });
    return () => {
      watcher.close();
    };
  } catch {
    return () => undefined; // no watches left, or none on this file system: looking from time to time is enough
  }
}

/** Returns this machine's file system. */
export function nodeFileSystem(): FileSystem {
  return {
    open: (path, flags, mode) => fs.openSync(path, flags, mode),
    close: (fd) => {
      fs.closeSync(fd);
    },
    write: (fd, bytes, from) => fs.writeSync(fd, bytes, from),
    read: (fd, bytes, position) => fs.readSync(fd, bytes, 0, bytes.length, position),
    truncate: (fd, length) => {
      fs.ftruncateSync(fd, length);
    },
    datasync: (fd) => flushed(fs.fdatasync, fd),
    sync: (fd) => flushed(fs.fsync, fd),
    factsOf: (fd) => factsFrom(fs.fstatSync(fd)),
    realPath: (path) => fs.realpathSync(path),
    lookUp: (path) => {
      try {
        const stats = fs.lstatSync(path, { throwIfNoEntry: false });
        return stats && factsFrom(stats);
      } catch (error) {
        if (errnoOf(error) === 'ENOTDIR') return undefined;
        throw error;
      }
    },
    changeMode: (path, mode) => {
      fs.chmodSync(path, mode);
    },
    makeFolder: (path, mode) => {
      fs.mkdirSync(path, mode);
    },
    rename: (from, to) => {
      fs.renameSync(from, to);
    },
    remove: (path) => {
      fs.unlinkSync(path);
    },
    removeFolder: (path) => {
      fs.rmdirSync(path);
    },
    entries: (path) => fs.readdirSync(path),
    watch: watchFolder,
  };
}
