import path from 'node:path';

import type { FileSystem } from './file-system.js';
import { OPEN } from './file-system.js';

/** Permissions of session files and folders (G32). */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

/** Names of the temporary files that `writeFileAtomically` leaves behind after a crash. */
const TEMPORARY = /^\..+\.[0-9a-f]{16}\.tmp$/;

/** Whether this is the name of one of our temporary files. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

/** Writes all bytes, even if the system accepts only part of them at a time (G7). */
export function writeWhole(fs: FileSystem, fd: number, bytes: Uint8Array): void {
  for (let from = 0; from < bytes.length;) {
    const count = fs.write(fd, bytes, from);
    if (count === 0) throw new Error('the system wrote no data and reported no error');
    from += count;
  }
}

/** Makes new files and renames in a folder durable. */
export async function syncFolder(fs: FileSystem, folder: string): Promise<void> {
  const fd = fs.open(folder, OPEN.read, 0);
  try {
    await fs.sync(fd);
  } finally {
    fs.close(fd);
  }
}

/**
 * Waits until all parallel flushes have ended, so that none is still running when a failed one is rolled
 * back. Throws the first error.
 */
export async function flushedTogether(flushes: readonly Promise<void>[]): Promise<void> {
  for (const ended of await Promise.allSettled(flushes)) if (ended.status === 'rejected') throw ended.reason;
}

function temporaryFor(file: string, random: (size: number) => Uint8Array): string {
  const unpredictable = Buffer.from(random(8)).toString('hex');
  return path.join(path.dirname(file), `.${path.basename(file)}.${unpredictable}.tmp`);
}

/**
 * Replaces or creates a file atomically. The file is complete and durable even after a power failure. Throws
 * Node.js errors.
 */
export async function writeFileAtomically(
  fs: FileSystem,
  file: string,
  pieces: Iterable<Uint8Array>,
  random: (size: number) => Uint8Array,
): Promise<void> {
  await replaceWhole(fs, file, pieces, random);
  await syncFolder(fs, path.dirname(file));
}

/**
 * Like `writeFileAtomically`, but a power failure may leave the previous version of the file. In both cases,
 * the file is complete.
 */
export async function replaceWhole(
  fs: FileSystem,
  file: string,
  pieces: Iterable<Uint8Array>,
  random: (size: number) => Uint8Array,
): Promise<void> {
  const temporary = temporaryFor(file, random);
  const fd = fs.open(temporary, OPEN.readWrite | OPEN.exclusive, FILE_MODE);
  try {
    try {
      for (const piece of pieces) writeWhole(fs, fd, piece);
      await fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    fs.rename(temporary, file);
  } catch (error) {
    discard(fs, temporary);
    throw error;
  }
}

/**
 * Like `writeFileAtomically`, but without flushing. Use only for caches, which are validated when they are
 * read.
 */
export function replaceCache(
  fs: FileSystem,
  file: string,
  pieces: Iterable<Uint8Array>,
  random: (size: number) => Uint8Array,
): void {
  const temporary = temporaryFor(file, random);
  const fd = fs.open(temporary, OPEN.readWrite | OPEN.exclusive, FILE_MODE);
  try {
    try {
      for (const piece of pieces) writeWhole(fs, fd, piece);
    } finally {
      fs.close(fd);
    }
    fs.rename(temporary, file);
  } catch (error) {
    discard(fs, temporary);
    throw error;
  }
}

function discard(fs: FileSystem, file: string): void {
  try {
    fs.remove(file);
  } catch {
    // a stray temporary file is harmless, and the first error is the one to tell
  }
}
