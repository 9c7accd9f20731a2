import { isHitlError } from '../../src/core/index.js';
import { asSaveFailed, asUnreadable } from '../disk/errno.js';
import { flushedTogether, syncFolder, writeWhole } from '../disk/atomic-write.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import type { FileSystem } from '../disk/file-system.js';
import type { InboxPlace, InboxReading, SessionNow } from './inbox-place.js';
import type { InboxPlacing, InboxRecord, LyingRecord } from './inbox-record.js';
import { decodeInboxLine, encodeInboxLine } from './inbox-record.js';
import { hasWanted } from './wanted.js';
import type { HeldLock } from '../lock.js';
import { acquireLock } from '../lock.js';
import { readLines } from '../journal/read-lines.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';

const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 20;

/**
 * Returns the on-disk inbox of a session.
 * @param session reads the session from its current journal
 */
export function inboxFile(
  context: StoreContext,
  folder: SessionFolder,
  session: () => SessionNow,
): InboxPlace {
  const { fs, clock, random, now } = context;
  let seen = { end: 0, n: 0 };
  return {
    id: folder.id,
    now,
    random,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    read: async (from) => readInbox(context, folder, from),
    lock: (signal) => lockInbox(context, folder, signal),
    known: () => context.ends?.inbox(folder.id) ?? 0,
    append: async (record, past) => {
      seen = numbersIn(context, folder, seen);
      const n = Math.max(seen.n, context.ends?.inbox(folder.id) ?? 0) + 1;
      await appendRecord(context, folder, record, { n, past });
      context.ends?.keepInbox(folder.id, n);
    },
    session: async () => session(),
    journalMark: async () => sizeOf(fs, folder.journal),
    until: (look, signal) => untilChanged(context, folder.path, look, signal),
  };
}

/** Reads new records. Returns the position of the end of the inbox and the highest record number. */
function numbersIn(
  context: StoreContext,
  folder: SessionFolder,
  seen: { readonly end: number; readonly n: number },
): { readonly end: number; readonly n: number } {
  if (context.owner(folder.id) === undefined) return seen;
  const { records, end } = readInbox(context, folder, seen.end);
  return { end, n: records.reduce((last, { n = 0 }) => Math.max(last, n), seen.n) };
}

/**
 * Whether the inbox contains a record that requires the session to continue. @throws HitlError
 * SESSION_UNREADABLE, SESSION_UNSAFE
 */
export function hasWantedMail(context: StoreContext, folder: SessionFolder, session: SessionNow): boolean {
  const known = context.ends?.inbox(folder.id) ?? 0; // before it is read: it grows meanwhile
  return hasWanted(readInbox(context, folder, 0), session, known);
}

/**
 * Returns a file's size; `undefined` if it cannot be determined. In that case, reading the file reports the
 * reason.
 */
function sizeOf(fs: FileSystem, file: string): number | undefined {
  try {
    return fs.lookUp(file)?.size;
  } catch {
    return undefined;
  }
}

/**
 * Reads the records after a position. Skips incomplete lines: the last line may still be being written, and
 * any other incomplete line was never confirmed to its sender.
 * @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE
 */
export function readInbox(context: StoreContext, folder: SessionFolder, from: number): InboxReading {
  const { fs } = context;
  try {
    const facts = fs.lookUp(folder.inbox);
    if (facts === undefined || facts.size <= from) return { records: [], end: from };
    const fd = openSafely(fs, folder.inbox, OPEN.read, []);
    try {
      return readRecords(context, folder, fd, from);
    } finally {
      fs.close(fd);
    }
  } catch (error) {
    throw asUnreadable(`the answers for session ${folder.id}`, error);
  }
}

function readRecords(
  { fs, owner }: StoreContext,
  { id }: SessionFolder,
  fd: number,
  from: number,
): InboxReading {
  const records: LyingRecord[] = [];
  let end = from;
  for (const line of readLines(fs, fd, { from })) {
    if (!line.hasNewline) break;
    end = line.end;
    const record = decodeInboxLine(line.bytes, owner(id));
    if (record !== undefined) records.push(record);
  }
  return { records, end };
}

/** Acquires the lock of an inbox. Waits for it, because the lock is held only for a few writes at a time. */
async function lockInbox(
  context: StoreContext,
  folder: SessionFolder,
  signal: AbortSignal,
): Promise<HeldLock> {
  const { fs, processes, helpers, now } = context;
  for (let tries = 1; ; tries += 1) {
    try {
      const what = `the inbox of session ${folder.id}`;
      return acquireLock(folder.inboxLock, what, { fs, processes, helpers, now });
    } catch (error) {
      if (!isHitlError(error) || error.code !== 'SESSION_LOCKED' || tries === LOCK_TRIES) throw error;
    }
    await context.clock.sleep(LOCK_PAUSE_MS, signal);
  }
}

/** Appends a record. The caller must hold the lock. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
async function appendRecord(
  { fs, owner }: StoreContext,
  folder: SessionFolder,
  record: InboxRecord,
  placing: InboxPlacing,
): Promise<void> {
  try {
    const fd = openSafely(fs, folder.inbox, OPEN.append | OPEN.create, []);
    try {
      const { size } = fs.factsOf(fd);
      writeLine(fs, fd, encodeInboxLine(record, owner(folder.id), placing));
      try {
        await flushedTogether([fs.datasync(fd), syncFolder(fs, folder.path)]);
      } catch (error) {
        fs.truncate(fd, size); // what is not acknowledged is not there
        throw error;
      }
    } finally {
      fs.close(fd);
    }
  } catch (error) {
    const what = record.type === 'answer' || record.type === 'refusal' ? 'answer' : 'message';
    throw asSaveFailed(`the ${what} for session ${folder.id}`, error);
  }
}

const NEWLINE = 0x0a;

/** Writes a line completely or not at all. First terminates any partial line that a crash left behind. */
function writeLine(fs: FileSystem, fd: number, line: Buffer): void {
  const { size } = fs.factsOf(fd);
  const last = Buffer.alloc(1);
  const endsOpen = size > 0 && fs.read(fd, last, size - 1) === 1 && last[0] !== NEWLINE;
  try {
    writeWhole(fs, fd, endsOpen ? Buffer.concat([Buffer.of(NEWLINE), line]) : line);
  } catch (error) {
    fs.truncate(fd, size);
    throw error;
  }
}

/** Polling interval, in milliseconds, if the system does not report changes. */
const POLL_MS = 250;

/**
 * Waits until `look` returns a result. Calls it at regular intervals and after each change in a folder.
 * Rejects with the signal's reason if the signal aborts.
 */
async function untilChanged<T>(
  context: StoreContext,
  folder: string,
  look: () => Promise<T | undefined>,
  signal: AbortSignal,
): Promise<T> {
  let wake = (): void => undefined;
  const changed = (): void => {
    wake();
  };
  const unwatch = context.fs.watch(folder, changed);
  signal.addEventListener('abort', changed); // `AbortSignal.any` leaves something with it at each look
  try {
    for (;;) {
      signal.throwIfAborted();
      const found = await look();
      if (found !== undefined) return found;
      const woken = new AbortController();
      wake = () => {
        woken.abort();
      };
      await context.clock.sleep(POLL_MS, woken.signal).catch(() => undefined); // woken, or aborted: the loop tells which
    }
  } finally {
    signal.removeEventListener('abort', changed);
    unwatch();
  }
}
