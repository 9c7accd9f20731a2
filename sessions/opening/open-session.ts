import type { SessionId, HitlError } from '../../src/core/index.js';
import { DurableFile } from '../journal/durable-file.js';
import { isEmpty, readingNotice, unfit, LOST } from '../journal/journal-verdict.js';
import { notFound, openForAppending, openForReading } from '../journal/open-journal.js';
import { scanJournal } from '../journal/scan-journal.js';
import { asUnreadable, saveFailed } from '../disk/errno.js';
import { checkFolder, checkRoot, readText } from '../disk/safe-open.js';
import type { JournalHealth } from '../journal/scan-journal.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { FileSession } from './file-session.js';
import { adoptionNotice, tipOf } from './adoption.js';
import { SessionInFiles } from './file-session.js';
import { hasForeignEntries, removeTemporaries, hasRemains } from '../folder/folder-report.js';
import { sessionFolder } from '../folder/session-folder.js';
import type { FileSystem } from '../disk/file-system.js';
import type { JournalEnd } from '../seal/ends.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';
import { loadJournal } from '../snapshot/load-journal.js';
import { inboxNotice } from '../inbox/inbox-place.js';
import { readInbox } from '../inbox/inbox-file.js';
import type { HeldLock } from '../lock.js';
import { acquireLock } from '../lock.js';
import { repairTail } from './repair-tail.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { removeFolder } from '../folder/remove-folder.js';

/**
 * Acquires the lock of a session. @throws HitlError SESSION_LOCKED, LOCK_UNAVAILABLE, SAVE_FAILED,
 * SESSION_NOT_FOUND
 */
export function lockSession(context: StoreContext, folder: SessionFolder): HeldLock {
  const { fs, processes, helpers, now } = context;
  return acquireLock(folder.lock, `session ${folder.id}`, { fs, processes, helpers, now });
}

/**
 * Creates the journal file to which a writer appends. @param fd open for appending, positioned at the end of
 * the loaded part.
 */
export function journalFile(
  context: StoreContext,
  folder: SessionFolder,
  fd: number,
  tip: SessionTip,
): DurableFile<SessionTip> {
  const { fs, random, steps } = context;
  return new DurableFile({
    fs,
    random,
    fd,
    tip,
    path: folder.journal,
    what: `session ${folder.id}`,
    verify: (copy, durable) => {
      const { position } = scanJournal(fs, copy, () => undefined, { to: durable.length, steps });
      if (position.prev !== durable.prev) throw new Error('previously saved events cannot be read back');
    },
  });
}

/** The readable part of a session. */
export interface ReadSession {
  readonly folder: SessionFolder;
  readonly tip: SessionTip;
  readonly health: JournalHealth;
  readonly notices: readonly string[];
}

/**
 * Reads a session. A damaged journal is read up to the damage, and a notice is added.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_UNSAFE; SESSION_DAMAGED and SESSION_NEWER
 * if not even the first record can be read.
 */
export function readSession(context: StoreContext, id: SessionId): ReadSession {
  try {
    return readFolder(context, sessionFolder(context.root, id));
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}

function readFolder(context: StoreContext, folder: SessionFolder): ReadSession {
  const { fs } = context;
  const { id } = folder;
  const notices: string[] = [];
  checkRoot(fs, context.root);
  if (!checkFolder(fs, folder.path, notices)) throw notFound(id);
  if (fs.lookUp(folder.journal) === undefined) throw withoutRecords(fs, folder);
  const fd = openForReading(fs, folder, notices);
  try {
    const end = context.ends?.journal(id);
    const loaded = loadJournal(context, folder, fd, end?.seq);
    const { health, position } = loaded;
    if (isEmpty(loaded)) throw withoutRecords(fs, folder);
    const isHopeless = position.seq === 0 && (health.status === 'damaged' || health.status === 'newer');
    if (isHopeless) throw unfit(id, health, 0);
    const notice = readingNotice(id, loaded);
    if (notice !== undefined) notices.push(notice);
    return { folder, tip: tipOfFolder(context, folder, { loaded, end }, notices), health, notices };
  } finally {
    fs.close(fd);
  }
}

/** Returns the tip of a loaded journal. @param notices receives a line if part of the journal is void. */
function tipOfFolder(
  context: StoreContext,
  folder: SessionFolder,
  { loaded, end }: { readonly loaded: LoadedJournal; readonly end: JournalEnd | undefined },
  notices: string[],
): SessionTip {
  const isNoted = readCopied(context, folder) === loaded.position.prev;
  const isCopy = isNoted || end?.isElsewhere === true;
  const known = isNoted && end?.isElsewhere === true ? {} : { end }; // what was written there later is not missed here
  const tip = tipOf(loaded, context.owner(folder.id), { ...known, isCopy });
  const lines = [adoptionNotice(folder.id, loaded, tip), inboxLine(context, folder, tip)];
  notices.push(...lines.filter((line) => line !== undefined));
  return tip;
}

/**
 * Describes the void records in the inbox; `undefined` if there are none. Ignores errors in reading the
 * inbox, because they are reported when records are taken from it.
 */
function inboxLine(context: StoreContext, folder: SessionFolder, tip: SessionTip): string | undefined {
  if (context.owner(folder.id) === undefined || context.fs.lookUp(folder.inbox) === undefined)
    return undefined;
  try {
    const known = context.ends?.inbox(folder.id) ?? 0;
    return inboxNotice(readInbox(context, folder, 0), tip, known);
  } catch {
    return undefined;
  }
}

/**
 * Returns the chain value up to which a session was copied from another store; `undefined` if it was not
 * copied.
 */
function readCopied({ fs }: StoreContext, { copied }: SessionFolder): string | undefined {
  return fs.lookUp(copied) === undefined ? undefined : (readText(fs, copied) ?? '');
}

/** Opens a session for reading. @throws HitlError like `readSession` */
export function openToRead(context: StoreContext, id: SessionId): FileSession {
  const { folder, tip, notices } = readSession(context, id);
  return new SessionInFiles({ context, folder, tip, notices });
}

/**
 * Opens a session for writing. Acquires its lock and repairs a torn tail. Makes no other changes before the
 * first append.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, LOCK_UNAVAILABLE, SESSION_DAMAGED, SESSION_NEWER,
 * SESSION_UNREADABLE, SESSION_UNSAFE, SAVE_FAILED
 */
export async function openToWrite(context: StoreContext, id: SessionId): Promise<FileSession> {
  const folder = sessionFolder(context.root, id);
  try {
    return await lockAndOpen(context, folder);
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}

async function lockAndOpen(context: StoreContext, folder: SessionFolder): Promise<FileSession> {
  const { fs } = context;
  const notices: string[] = [];
  checkRoot(fs, context.root);
  if (!checkFolder(fs, folder.path, notices)) throw notFound(folder.id);
  if (!isOurs(fs, folder)) throw withoutRecords(fs, folder);
  const lock = lockSession(context, folder);
  try {
    return await openLocked(context, folder, lock, notices);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openLocked(
  context: StoreContext,
  folder: SessionFolder,
  lock: HeldLock,
  notices: string[],
): Promise<FileSession> {
  const { fs } = context;
  if (fs.lookUp(folder.journal) === undefined) await clearUnborn(context, folder);
  const fd = openForAppending(fs, folder, notices);
  try {
    const end = context.ends?.journal(folder.id);
    const found = loadJournal(context, folder, fd, end?.seq);
    if (isEmpty(found)) await clearUnborn(context, folder);
    const { health, position } = found;
    if (health.status === 'damaged' || health.status === 'newer')
      throw unfit(folder.id, health, position.seq);
    const { loaded, notice } = await mended(context, folder, fd, found);
    if (notice !== undefined) notices.push(notice);
    const tip = tipOfFolder(context, folder, { loaded, end }, notices);
    removeTemporaries(fs, folder);
    const journal = journalFile(context, folder, fd, tip);
    return new SessionInFiles({
      context,
      folder,
      tip,
      notices,
      writer: { journal, lock, snapshotSeq: loaded.snapshotSeq },
    });
  } catch (error) {
    fs.close(fd);
    throw error;
  }
}

/** Whether a folder belongs to a session, confirmed or not. */
function isOurs(fs: FileSystem, folder: SessionFolder): boolean {
  return fs.lookUp(folder.journal) !== undefined || !hasForeignEntries(fs, folder);
}

async function mended(
  context: StoreContext,
  folder: SessionFolder,
  fd: number,
  loaded: LoadedJournal,
): ReturnType<typeof repairTail> {
  try {
    return await repairTail(context.fs, fd, folder, loaded);
  } catch (error) {
    throw saveFailed(`session ${folder.id}`, error);
  }
}

/**
 * Creates the error for a folder without records. The session was never confirmed (P0), unless other files in
 * the folder show that it was. Throws Node.js errors.
 */
function withoutRecords(fs: FileSystem, folder: SessionFolder): HitlError {
  return hasRemains(fs, folder) ? unfit(folder.id, LOST, 0) : notFound(folder.id);
}

/**
 * Removes only the files of an unconfirmed session (P0). The caller must hold the session's lock.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SAVE_FAILED; Node.js errors
 */
async function clearUnborn(context: StoreContext, folder: SessionFolder): Promise<never> {
  const told = withoutRecords(context.fs, folder);
  if (told.code === 'SESSION_NOT_FOUND' && !hasForeignEntries(context.fs, folder))
    await removeFolder(context, folder);
  throw told;
}
