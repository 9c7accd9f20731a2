import type { SessionId, SessionSummary } from '../../src/core/index.js';
import { isHitlError, isoTime, isSessionId } from '../../src/core/index.js';
import type { FileFacts } from '../disk/file-system.js';
import { hasRemains } from '../folder/folder-report.js';
import { sessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { isAtRest, restingStatus, summaryOf } from '../format/summary.js';
import { hasWantedMail } from '../inbox/inbox-file.js';
import { readSession } from '../opening/open-session.js';
import type { KnownSessions } from './known-sessions.js';
import { isWhole, knownSessions, mailOf, summariesOf } from './known-sessions.js';
import type { IndexEntry } from './session-index.js';
import { SESSION_INDEX } from './session-index.js';
import { writeCache } from './store-cache.js';
import { tidyStore } from './tidy-store.js';

/**
 * Returns every session, newest first. Unreadable sessions are listed as `unreadable` and do not cause the
 * list to fail. Also finishes creations and removals that crashed processes left incomplete.
 * @throws HitlError SESSION_UNREADABLE if the sessions folder cannot be read.
 */
export function listSessions(context: StoreContext): readonly SessionSummary[] {
  const found = knownSessions(context);
  return summariesOf(context, isWhole(found) ? found.known : learn(context, found));
}

/**
 * Reads new sessions and updates the index. Omits deleted sessions and entries that may become invalid while
 * the journal is unchanged.
 */
function learn(context: StoreContext, { known, news, indexed }: KnownSessions): readonly IndexEntry[] {
  const entries = [...known];
  const kept = [...known];
  const leftovers: string[] = [];
  for (const { name, facts } of news) {
    if (!isSessionId(name) || (facts?.size === 0 && !isLost(context, name))) {
      leftovers.push(name);
      continue;
    }
    const read = facts === undefined ? unreadableEntry(name) : readEntry(context, name, facts);
    if (read === undefined) continue;
    entries.push(read.entry);
    if (read.isLasting) kept.push(read.entry);
  }
  if (kept.length > known.length || kept.length !== indexed) writeCache(context, SESSION_INDEX, kept);
  tidyStore(context, leftovers);
  return entries;
}

/** Whether a session's journal is empty or missing while its other files remain. */
function isLost({ fs, root }: StoreContext, id: SessionId): boolean {
  try {
    return hasRemains(fs, sessionFolder(root, id));
  } catch {
    return true; // not ours to look into
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
  isAtRest: true,
  pid: 0,
  host: '',
} as const;

/** The list entry of a session, as read from its journal. */
interface ReadEntry {
  readonly entry: IndexEntry;
  /**
   * Whether the entry remains valid while the journal is unchanged. False after a system error, which may be
   * temporary.
   */
  readonly isLasting: boolean;
}

function unreadableEntry(id: SessionId, changedAt = isoTime(0)): ReadEntry {
  const entry = { ...NOTHING_KNOWN, id, createdAt: changedAt, updatedAt: changedAt };
  return { entry, isLasting: false };
}

/** Reads the list entry of a session; `undefined` if the session was deleted in the meantime. */
function readEntry(context: StoreContext, id: SessionId, facts: FileFacts): ReadEntry | undefined {
  const { size, mtimeMs, ino } = facts;
  try {
    const mail = mailOf(context, id); // before it is read: it grows meanwhile
    const { tip, health } = readSession(context, id);
    const isWhole = health.status === 'ok' || health.status === 'torn';
    const status = isWhole ? restingStatus(tip.state) : 'unreadable';
    const { pid, host } = tip.state.writer ?? NOTHING_KNOWN;
    const left = status === 'waiting' && {
      mail,
      isWanted: mail > 0 && hasWantedMail(context, sessionFolder(context.root, id), tip),
    };
    return {
      entry: {
        ...summaryOf(id, tip, false),
        ...{ size, mtimeMs, ino, status, pid, host, isAtRest: isAtRest(tip.state) },
        ...left,
      },
      isLasting: true,
    };
  } catch (error) {
    if (isHitlError(error) && error.code === 'SESSION_NOT_FOUND') return undefined;
    return unreadableEntry(id, isoTime(Math.floor(mtimeMs)));
  }
}
