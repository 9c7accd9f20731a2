import path from 'node:path';

import { checkSessionId, errnoOf, isHitlError } from '../../src/core/index.js';
import type { SessionId, SessionInit } from '../../src/core/index.js';
import { asSaveFailed } from '../disk/errno.js';
import { checkFacts, checkFolder, checkRoot } from '../disk/safe-open.js';
import { FILE_MODE, flushedTogether, FOLDER_MODE, syncFolder } from '../disk/atomic-write.js';
import { OPEN } from '../disk/file-system.js';
import type { FileSession } from './file-session.js';
import { SessionInFiles } from './file-session.js';
import type { FileSystem } from '../disk/file-system.js';
import type { HeldLock } from '../lock.js';
import { createdEvent, NO_RECORDS } from '../journal/session-tip.js';
import { exists } from '../journal/open-journal.js';
import { journalFile, lockSession } from './open-session.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { hasRemains } from '../folder/folder-report.js';
import { newSessionId } from '../folder/session-id.js';
import { sessionFolder } from '../folder/session-folder.js';

/** Maximum number of attempts to find an unused id. */
const ID_ATTEMPTS = 5;

/**
 * Creates a session. Its folder and first record are durable when the promise resolves.
 * @throws HitlError SESSION_ID, SESSION_EXISTS, SESSION_LOCKED, LOCK_UNAVAILABLE, SAVE_FAILED
 */
export async function createSession(context: StoreContext, init: SessionInit): Promise<FileSession> {
  const given = init.id === undefined ? undefined : checkSessionId(init.id);
  const { folder, lock } = await claimFolder(context, given);
  try {
    return await createLocked(context, folder, lock, init);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Creates a folder and its missing parents, durably. Throws Node.js errors. */
async function ensureFolder(fs: FileSystem, folder: string): Promise<void> {
  if (fs.lookUp(folder) !== undefined) return;
  const parent = path.dirname(folder);
  if (parent !== folder) await ensureFolder(fs, parent);
  try {
    fs.makeFolder(folder, FOLDER_MODE);
  } catch (error) {
    // Another session was created meanwhile; whether what it made is a folder, the next one in it tells.
    if (errnoOf(error) !== 'EEXIST') throw error;
  }
  await syncFolder(fs, parent);
}

/** The folder of a new session, and its lock. */
export interface ClaimedFolder {
  readonly folder: SessionFolder;
  readonly lock: HeldLock;
}

/**
 * Creates and locks the folder of a new session. Until the folder is locked, it looks like one that a crashed
 * process left, so a cleanup may remove it. In that case, creates another one.
 * @param given the session's id; default: a new one.
 * @throws HitlError SESSION_LOCKED, LOCK_UNAVAILABLE, SAVE_FAILED, SESSION_UNSAFE
 */
export async function claimFolder(
  context: StoreContext,
  given: SessionId | undefined,
): Promise<ClaimedFolder> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await makeSessionFolder(context, given);
    try {
      return { folder, lock: lockSession(context, folder) };
    } catch (error) {
      if (attempt === ID_ATTEMPTS || !isTakenAway(error, given)) throw error;
    }
  }
}

function isTakenAway(error: unknown, given: SessionId | undefined): boolean {
  if (!isHitlError(error)) return false;
  return error.code === 'SESSION_NOT_FOUND' || (given === undefined && error.code === 'SESSION_LOCKED');
}

async function makeSessionFolder(
  context: StoreContext,
  given: SessionId | undefined,
): Promise<SessionFolder> {
  try {
    await ensureFolder(context.fs, context.root);
    checkRoot(context.fs, context.root);
    for (let attempt = 1; ; attempt += 1) {
      const folder = sessionFolder(context.root, given ?? newSessionId(context.now(), context.random));
      const isLast = given !== undefined || attempt === ID_ATTEMPTS;
      if (tryMakeFolder(context.fs, folder, isLast)) return folder;
    }
  } catch (error) {
    throw asSaveFailed('a new session', error);
  }
}

function tryMakeFolder(fs: FileSystem, folder: SessionFolder, isLast: boolean): boolean {
  try {
    fs.makeFolder(folder.path, FOLDER_MODE);
    return true;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    // A folder whose session was never confirmed may be used again (P0); that is looked at under the lock.
    return isLast && checkFolder(fs, folder.path, []);
  }
}

async function createLocked(
  context: StoreContext,
  folder: SessionFolder,
  lock: HeldLock,
  init: SessionInit,
): Promise<FileSession> {
  const { fs, root } = context;
  try {
    removeEmptyJournal(fs, folder);
    if (init.id !== undefined) context.ends?.forget(folder.id); // of one before it that is gone
    const fd = fs.open(folder.journal, OPEN.append | OPEN.exclusive, FILE_MODE);
    const journal = journalFile(context, folder, fd, NO_RECORDS);
    const session = new SessionInFiles({
      context,
      folder,
      tip: NO_RECORDS,
      notices: [],
      writer: { journal, lock, snapshotSeq: 0 },
    });
    try {
      await flushedTogether([
        session.append([createdEvent(init), ...(init.events ?? [])]),
        syncFolder(fs, folder.path),
        syncFolder(fs, root),
      ]);
    } catch (error) {
      await journal.close();
      discard(fs, folder);
      throw error;
    }
    return session;
  } catch (error) {
    throw asSaveFailed('a new session', error);
  }
}

/**
 * Removes the journal of a session that was never confirmed (P0). @throws HitlError SESSION_EXISTS for any
 * other journal.
 */
function removeEmptyJournal(fs: FileSystem, folder: SessionFolder): void {
  const facts = fs.lookUp(folder.journal);
  if (facts !== undefined) checkFacts(folder.journal, facts, 'file');
  if ((facts?.size ?? 0) > 0 || hasRemains(fs, folder)) throw exists(folder.id);
  if (facts !== undefined) fs.remove(folder.journal);
}

/** Removes the files of a session whose creation failed and was never confirmed (P0). */
function discard(fs: FileSystem, folder: SessionFolder): void {
  try {
    fs.remove(folder.journal);
    fs.remove(folder.lock);
    fs.removeFolder(folder.path);
  } catch {
    // the next listing does it
  }
}
