import type { SessionId, SessionSummary } from '../src/core/index.js';
import { isHitlError, isoTime } from '../src/core/index.js';
import type { FileFacts } from './file-system.js';
import { readOwner } from './lock.js';
import { isOwnerAlive } from './lock-owner.js';
import { readSession } from './open-session.js';
import { journalOf, sessionFolder } from './session-folder.js';
import { namesInStore } from './session-ids.js';
import type { IndexEntry } from './session-index.js';
import { isCurrent, readIndex, writeIndex } from './session-index.js';
import type { StoreContext } from './store-options.js';
import { newestFirst, restingStatus, statusOf, summaryOf } from './summary.js';

/**
 * Every session, newest first. What cannot be read is listed as `unreadable`; no session makes the list fail.
 * @throws HitlError SESSION_UNREADABLE where the folder of all sessions cannot be read.
 */
export function listSessions(context: StoreContext): readonly SessionSummary[] {
  const index = readIndex(context);
  const entries: IndexEntry[] = [];
  let isChanged = false;
  for (const id of namesInStore(context)) {
    const facts = factsOf(context, id);
    if (facts === undefined || facts === 'denied') {
      if (facts === 'denied') entries.push(unreadableEntry(id));
      continue;
    }
    const known = index.get(id);
    if (known !== undefined && isCurrent(known, facts)) {
      entries.push(known);
      continue;
    }
    const entry = readEntry(context, id, facts);
    isChanged = true;
    if (entry !== undefined) entries.push(entry);
  }
  if (isChanged || entries.length !== index.size) writeIndex(context, entries);
  const liveness = new Map<number, boolean>();
  return entries.map((entry) => summaryFrom(context, entry, liveness)).sort(newestFirst);
}

function factsOf({ fs, root }: StoreContext, id: SessionId): FileFacts | 'denied' | undefined {
  try {
    const facts = fs.lookUp(journalOf(root, id));
    return facts === undefined || facts.size === 0 ? undefined : facts; // P0
  } catch {
    return 'denied';
  }
}

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

function unreadableEntry(id: SessionId): IndexEntry {
  return { ...NOTHING_KNOWN, id };
}

/** What a session says of itself; `undefined` where it was never confirmed, or is gone by now. */
function readEntry(
  context: StoreContext,
  id: SessionId,
  { size, mtimeMs, ino }: FileFacts,
): IndexEntry | undefined {
  const from = { id, size, mtimeMs, ino };
  try {
    const { tip, health } = readSession(context, id);
    const isWhole = health.status === 'ok' || health.status === 'torn';
    const { pid, host } = tip.state.writer ?? NOTHING_KNOWN;
    const status = isWhole ? restingStatus(tip.state) : 'unreadable';
    return { ...summaryOf(id, tip, false), ...from, status, pid, host };
  } catch (error) {
    if (isHitlError(error) && error.code === 'SESSION_NOT_FOUND') return undefined;
    const changedAt = isoTime(Math.floor(mtimeMs));
    return { ...NOTHING_KNOWN, ...from, createdAt: changedAt, updatedAt: changedAt };
  }
}

function summaryFrom(
  context: StoreContext,
  entry: IndexEntry,
  liveness: Map<number, boolean>,
): SessionSummary {
  const { id, title, status, waiting, turns, createdAt, updatedAt } = entry;
  const shown = status === 'unreadable' ? status : statusOf(status, isInUse(context, entry, liveness));
  return { id, title, status: shown, waiting, turns, createdAt, updatedAt };
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
  const owner = readOwner(fs, sessionFolder(root, id).lock);
  return owner !== undefined && isOwnerAlive(owner, processes) === true;
}
