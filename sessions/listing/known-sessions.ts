import type { SessionId, SessionSummary } from '../../src/core/index.js';
import { isSessionId } from '../../src/core/index.js';
import type { FileFacts, FileSystem } from '../disk/file-system.js';
import { isTemporary } from '../disk/atomic-write.js';
import { isOwnerAlive } from '../lock-owner.js';
import { readOwner } from '../lock.js';
import { inboxOf, journalOf, lockOf } from '../folder/session-folder.js';
import { isRemoved } from '../folder/remove-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { newestFirst, statusOf } from '../format/summary.js';
import { namesInStore } from './session-ids.js';
import type { IndexEntry } from './session-index.js';
import { SESSION_INDEX } from './session-index.js';
import { isCurrent, readCache } from './store-cache.js';

/** A session that the index does not describe correctly, or an unfinished one of a crashed process. */
export interface NewName {
  readonly name: string;
  /** Of its journal, if the name is an id; absent if unavailable. A missing journal has the size 0. */
  readonly facts?: FileFacts;
}

/** The sessions folder compared with the index. */
export interface KnownSessions {
  readonly known: readonly IndexEntry[];
  readonly news: readonly NewName[];
  /** Number of indexed sessions, including deleted ones. */
  readonly indexed: number;
}

/**
 * Checks each journal without reading it: most lists need no more, and load no session reader.
 * @throws HitlError SESSION_UNREADABLE if the sessions folder is unreadable.
 */
export function knownSessions(context: StoreContext): KnownSessions {
  const index = readCache(context, SESSION_INDEX);
  const known: IndexEntry[] = [];
  const news: NewName[] = [];
  for (const name of namesInStore(context)) {
    if (!isSessionId(name)) {
      if (isRemoved(name) || isTemporary(name)) news.push({ name });
      continue;
    }
    const facts = factsOf(context, name);
    const entry = index.get(name);
    if (entry !== undefined && facts !== undefined && isCurrent(entry, facts) && hasItsMail(context, entry))
      known.push(entry);
    else news.push({ name, ...(facts !== undefined && { facts }) });
  }
  return { known, news, indexed: index.size };
}

/** Whether the index is complete and exact. */
export function isWhole({ known, news, indexed }: KnownSessions): boolean {
  return news.length === 0 && known.length === indexed;
}

/** Returns a journal's facts; `undefined` if unavailable. A missing journal has the size 0. */
function factsOf({ fs, root }: StoreContext, id: SessionId): FileFacts | undefined {
  try {
    return fs.lookUp(journalOf(root, id)) ?? NO_FILE;
  } catch {
    return undefined;
  }
}

/** Whether a waiting session's inbox is unchanged since it was read. */
function hasItsMail(context: StoreContext, { id, status, mail }: IndexEntry): boolean {
  return status !== 'waiting' || mailOf(context, id) === mail;
}

/** Returns an inbox's size; 0 if it does not exist or is unavailable. */
export function mailOf({ fs, root }: StoreContext, id: SessionId): number {
  try {
    return fs.lookUp(inboxOf(root, id))?.size ?? 0;
  } catch {
    return 0;
  }
}

const NO_FILE: FileFacts = { kind: 'other', size: 0, dev: 0, ino: 0, uid: 0, mode: 0, mtimeMs: 0 };

/** Returns the sessions as list entries, newest first. */
export function summariesOf(
  context: StoreContext,
  entries: readonly IndexEntry[],
): readonly SessionSummary[] {
  const liveness = new Map<number, boolean>();
  return entries.map((entry) => summaryFrom(context, entry, liveness)).sort(newestFirst);
}

function summaryFrom(
  context: StoreContext,
  entry: IndexEntry,
  liveness: Map<number, boolean>,
): SessionSummary {
  const { id, title, status, waiting, turns, createdAt, updatedAt, until, isWanted, folder } = entry;
  const isUsed = status !== 'unreadable' && isInUse(context, entry, liveness);
  const shown = status === 'unreadable' ? status : statusOf(status, isUsed);
  const timed = until !== undefined && { until };
  const left = isWanted === true && !isUsed && { unread: true as const };
  const rests = shown === 'running' && entry.isAtRest && { idle: true as const };
  const place = folder !== undefined && { folder };
  return {
    id,
    title,
    status: shown,
    waiting,
    turns,
    createdAt,
    updatedAt,
    ...timed,
    ...left,
    ...rests,
    ...place,
  };
}

/** Opens a lock file only if the latest writer may still be running, which most lists need not. */
function isInUse(
  { root, fs, processes }: StoreContext,
  { id, pid, host }: IndexEntry,
  liveness: Map<number, boolean>,
): boolean {
  if (host !== processes.host) return false;
  const exists = liveness.get(pid) ?? processes.exists(pid);
  liveness.set(pid, exists);
  if (!exists) return false;
  const lock = lockOf(root, id);
  if (isEmpty(fs, lock)) return false; // a process that has many sessions has let go of most
  const owner = readOwner(fs, lock);
  return owner !== undefined && isOwnerAlive(owner, processes) === true;
}

function isEmpty(fs: FileSystem, file: string): boolean {
  try {
    return fs.lookUp(file)?.size === 0;
  } catch {
    return false; // reading it says what it is
  }
}
