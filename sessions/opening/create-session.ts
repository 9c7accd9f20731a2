import path from 'node:path';

import { errnoOf } from '../../src/core/index.js';
import type { SessionId, SessionInit } from '../../src/core/index.js';
import {
  asSaveFailed,
  checkFolder,
  checkRoot,
  FILE_MODE,
  FOLDER_MODE,
  OPEN,
  syncFolder,
} from '../disk/index.js';
import { FileSession } from './file-session.js';
import type { FileSystem } from '../disk/index.js';
import { loadJournal } from '../snapshot/index.js';
import type { HeldLock } from '../lock/index.js';
import { createdEvent, exists, isUnborn, NO_RECORDS, openForAppending } from '../journal/index.js';
import { journalFile, lockSession } from './open-session.js';
import type { SessionFolder, StoreContext } from '../folder/index.js';
import { checkSessionId, newSessionId, sessionFolder } from '../folder/index.js';

/** How often a new id may be taken already. */
const ID_ATTEMPTS = 5;

/**
 * Makes a session; when it resolves, folder and first record are durable.
 * @throws HitlError SESSION_ID, SESSION_EXISTS, SESSION_LOCKED, LOCK_UNAVAILABLE, SAVE_FAILED
 */
export async function createSession(context: StoreContext, init: SessionInit): Promise<FileSession> {
  const given = init.id === undefined ? undefined : checkSessionId(init.id);
  const folder = await makeSessionFolder(context, given);
  const lock = lockSession(context, folder);
  try {
    return await createLocked(context, folder, lock, init);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Makes a folder and what is missing above it, durably. Throws Node's errors. */
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

/**
 * Makes the folder of a new session.
 * @param given its id; a new one where it is absent.
 * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
 */
export async function makeSessionFolder(
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
    clearUnborn(context, folder);
    const fd = fs.open(folder.journal, OPEN.append | OPEN.exclusive, FILE_MODE);
    const journal = journalFile(context, folder, fd, NO_RECORDS);
    const session = new FileSession({
      context,
      folder,
      tip: NO_RECORDS,
      notices: [],
      writer: { journal, lock, snapshotSeq: 0 },
    });
    try {
      await session.append([createdEvent(init), ...(init.events ?? [])]);
      await syncFolder(fs, folder.path);
      await syncFolder(fs, root);
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

/** Removes the journal of a session that was never confirmed (P0). @throws HitlError SESSION_EXISTS for any other. */
function clearUnborn(context: StoreContext, folder: SessionFolder): void {
  const { fs } = context;
  if (fs.lookUp(folder.journal) === undefined) return;
  const fd = openForAppending(fs, folder);
  try {
    if (!isUnborn(loadJournal(context, folder, fd))) {
      throw exists(folder.id);
    }
  } finally {
    fs.close(fd);
  }
  fs.remove(folder.journal);
}

/** Takes away what a failed creation left; what cannot be removed is an empty session that nobody was told of (P0). */
function discard(fs: FileSystem, folder: SessionFolder): void {
  try {
    fs.remove(folder.journal);
    fs.remove(folder.lock);
    fs.removeFolder(folder.path);
  } catch {
    // the next listing leaves it out
  }
}
