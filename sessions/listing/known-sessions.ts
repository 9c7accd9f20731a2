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

/**
 * An entry in the sessions folder that the index does not describe correctly, or that a crashed process left
 * unfinished.
 */
export interface NewName {
  readonly name: string;
  /**
   * Properties of the journal file, if the name is a session id. Absent if they cannot be read. A missing
   * journal has size 0.
   */
  readonly facts?: FileFacts;
}

/** The sessions folder, compared with the index. */
export interface KnownSessions {
  readonly known: readonly IndexEntry[];
  readonly news: readonly NewName[];
  /** Number of indexed sessions, including those that have been deleted. */
  readonly indexed: number;
}

/**
 * Compares each journal with the index without reading it. Most lists need only this check and therefore do
 * not load the code that reads sessions.
 * @throws HitlError SESSION_UNREADABLE if the sessions folder cannot be read.
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

/** Whether the index is complete and up to date. */
export function isWhole({ known, news, indexed }: KnownSessions): boolean {
  return news.length === 0 && known.length === indexed;
}

/**
 * Returns the properties of a journal file; `undefined` if they cannot be read. A missing journal has size 0.
 */
function factsOf({ fs, root }: StoreContext, id: SessionId): FileFacts | undefined {
  try {
    return fs.lookUp(journalOf(root, id)) ?? NO_FILE;
  } catch {
    return undefined;
  }
}

/** Whether the inbox of a waiting session is unchanged since it was last read. */
function hasItsMail(context: StoreContext, { id, status, mail }: IndexEntry): boolean {
  return status !== 'waiting' || mailOf(context, id) === mail;
}

/** Returns the size of an inbox; 0 if it does not exist or cannot be read. */
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

/**
 * Whether a session is in use. Opens the session's lock file only if the latest writer may still be running,
 * which is rarely the case.
 */
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
