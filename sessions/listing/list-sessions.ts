import type { SessionId, SessionSummary } from '../../src/core/index.js';
import { isHitlError, isoTime, isSessionId } from '../../src/core/index.js';
import type { FileFacts, FileSystem } from '../disk/index.js';
import { isOwnerAlive, readOwner } from '../lock/index.js';
import { readSession } from '../opening/index.js';
import { hasRemains, journalOf, lockOf, sessionFolder } from '../folder/index.js';
import { namesInStore } from './session-ids.js';
import type { IndexEntry } from './session-index.js';
import { SESSION_INDEX } from './session-index.js';
import { isCurrent, readCache, writeCache } from './store-cache.js';
import { tidyStore } from './tidy-store.js';
import type { StoreContext } from '../folder/index.js';
import { newestFirst, restingStatus, statusOf, summaryOf } from '../format/index.js';

/**
 * Every session, newest first. What cannot be read is listed as `unreadable`; no session makes the list fail. What
 * processes that died left half made or half removed is finished on the way.
 * @throws HitlError SESSION_UNREADABLE where the folder of all sessions cannot be read.
 */
export function listSessions(context: StoreContext): readonly SessionSummary[] {
  const index = readCache(context, SESSION_INDEX);
  const entries: IndexEntry[] = [];
  const kept: IndexEntry[] = [];
  const leftovers: string[] = [];
  let isChanged = false;
  for (const id of namesInStore(context)) {
    if (!isSessionId(id)) {
      leftovers.push(id);
      continue;
    }
    const facts = factsOf(context, id);
    const known = index.get(id);
    if (known !== undefined && facts !== undefined && isCurrent(known, facts)) {
      entries.push(known);
      kept.push(known);
      continue;
    }
    if (facts?.size === 0 && !isLost(context, id)) {
      leftovers.push(id);
      continue;
    }
    const read = facts === undefined ? unreadableEntry(id) : readEntry(context, id, facts);
    if (read === undefined) continue;
    entries.push(read.entry);
    if (!read.isLasting) continue;
    kept.push(read.entry);
    isChanged = true;
  }
  if (isChanged || kept.length !== index.size) writeCache(context, SESSION_INDEX, kept);
  tidyStore(context, leftovers);
  const liveness = new Map<number, boolean>();
  return entries.map((entry) => summaryFrom(context, entry, liveness)).sort(newestFirst);
}

/** Facts of a journal; `undefined` where they cannot be had. A missing journal has the size 0. */
function factsOf({ fs, root }: StoreContext, id: SessionId): FileFacts | undefined {
  try {
    return fs.lookUp(journalOf(root, id)) ?? NO_FILE;
  } catch {
    return undefined;
  }
}

/** True for a session whose journal is empty or gone, and of which something else is left. */
function isLost({ fs, root }: StoreContext, id: SessionId): boolean {
  try {
    return hasRemains(fs, sessionFolder(root, id));
  } catch {
    return true; // not ours to look into
  }
}

const NO_FILE: FileFacts = { kind: 'other', size: 0, dev: 0, ino: 0, uid: 0, mode: 0, mtimeMs: 0 };

const NOTHING_KNOWN = {
  size: 0,
  mtimeMs: 0,
  ino: 0,
  title: '',
  status: 'unreadable',
  waiting: 0,
  turns: 0,
  createdAt: isoTime(0),
  updatedAt: isoTime(0),
  pid: 0,
  host: '',
} as const;

/** The facts that were learned of a session. */
interface ReadEntry {
  readonly entry: IndexEntry;
  /** It holds as long as the journal does not change: what the system refuses now it may allow later. */
  readonly isLasting: boolean;
}

function unreadableEntry(id: SessionId, changedAt = isoTime(0)): ReadEntry {
  const entry = { ...NOTHING_KNOWN, id, createdAt: changedAt, updatedAt: changedAt };
  return { entry, isLasting: false };
}

/** Reads what a session says of itself; `undefined` where it is gone by now. */
function readEntry(context: StoreContext, id: SessionId, facts: FileFacts): ReadEntry | undefined {
  const { size, mtimeMs, ino } = facts;
  try {
    const { tip, health } = readSession(context, id);
    const isWhole = health.status === 'ok' || health.status === 'torn';
    const status = isWhole ? restingStatus(tip.state) : 'unreadable';
    const { pid, host } = tip.state.writer ?? NOTHING_KNOWN;
    return {
      entry: { ...summaryOf(id, tip, false), size, mtimeMs, ino, status, pid, host },
      isLasting: true,
    };
  } catch (error) {
    if (isHitlError(error) && error.code === 'SESSION_NOT_FOUND') return undefined;
    return unreadableEntry(id, isoTime(Math.floor(mtimeMs)));
  }
}

function summaryFrom(
  context: StoreContext,
  entry: IndexEntry,
  liveness: Map<number, boolean>,
): SessionSummary {
  const { id, title, status, waiting, turns, createdAt, updatedAt, until } = entry;
  const shown = status === 'unreadable' ? status : statusOf(status, isInUse(context, entry, liveness));
  const timed = until !== undefined && { until };
  return { id, title, status: shown, waiting, turns, createdAt, updatedAt, ...timed };
}

/** Looks into a lock file only where the latest writer may still be there: most lists touch none. */
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
