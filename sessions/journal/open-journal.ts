import { errnoOf, HitlError } from '../../src/core/index.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import { saveFailed, unreadable } from '../disk/errno.js';
import type { FileSystem } from '../disk/file-system.js';
import type { SessionFolder } from '../folder/session-folder.js';

/** Creates the error for an unknown session. */
export function notFound(id: string): HitlError {
  return new HitlError('SESSION_NOT_FOUND', `session not found: \`${id}\``, {
    hint: 'see hitl list',
  });
}

/** Creates the error for a session that has changed since it was read. */
export function changedSince(id: string): HitlError {
  return new HitlError('VERSION_CONFLICT', `session ${id} has changed since it was read`, {
    hint: 'check it again',
  });
}

/** Creates the error for a session that already exists. */
export function exists(id: string): HitlError {
  return new HitlError('SESSION_EXISTS', `session ${id} exists`, {
    hint: `resume it: hitl resume ${id}`,
  });
}

/**
 * Creates the error for the use of a closed object. The usual cause is a run that was not awaited before its
 * session was disposed of.
 */
export function closed(what: string): HitlError {
  return new HitlError('SESSION_CLOSED', `${what} is closed`, {
    hint: 'a run may still be writing: `await` it before the session is disposed, and use `return await` after `await using`',
  });
}

/** Rejects writing to a session that was opened for reading. @throws HitlError INTERNAL */
export function checkWritable(id: string, mode: 'read' | 'write'): void {
  if (mode === 'write') return;
  throw new HitlError('INTERNAL', `session ${id} is open for reading only`, { hint: 'open it for writing' });
}

function opened(fs: FileSystem, folder: SessionFolder, flags: number, notices: string[]): number | undefined {
  try {
    return openSafely(fs, folder.journal, flags, notices);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw flags === OPEN.read
      ? unreadable(`session ${folder.id}`, error)
      : saveFailed(`session ${folder.id}`, error);
  }
}

/** Opens a journal for reading. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_UNSAFE */
export function openForReading(fs: FileSystem, folder: SessionFolder, notices: string[] = []): number {
  const fd = opened(fs, folder, OPEN.read, notices);
  if (fd === undefined) throw notFound(folder.id);
  return fd;
}

/** Opens a journal for appending. @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_UNSAFE */
export function openForAppending(fs: FileSystem, folder: SessionFolder, notices: string[] = []): number {
  const fd = opened(fs, folder, OPEN.append, notices);
  if (fd === undefined) throw notFound(folder.id);
  return fd;
}
