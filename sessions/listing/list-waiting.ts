import type { SessionSummary, WaitingItem } from '../../src/core/index.js';
import { isHitlError, openQuestions } from '../../src/core/index.js';
import type { StoreContext } from '../folder/store-options.js';
import { journalOf } from '../folder/session-folder.js';
import { readSession } from '../opening/open-session.js';
import { listSessions } from './list-sessions.js';
import { isCurrent, readCache, writeCache } from './store-cache.js';
import type { WaitingEntry } from './waiting-index.js';
import { WAITING_INDEX } from './waiting-index.js';

/**
 * Returns every open interrupt. Reads a session only if its journal has changed since the last call. An
 * unreadable session does not hide the questions of other sessions.
 * @throws HitlError SESSION_UNREADABLE if the sessions folder cannot be read.
 */
export function listWaiting(context: StoreContext): readonly WaitingItem[] {
  const known = readCache(context, WAITING_INDEX);
  const kept: WaitingEntry[] = [];
  const items: WaitingItem[] = [];
  let isChanged = false;
  for (const session of listSessions(context)) {
    if (session.waiting === 0) continue;
    const before = known.get(session.id);
    const entry = before !== undefined && isUpToDate(context, before) ? before : readOpen(context, session);
    if (entry === undefined) continue;
    if (entry !== before) isChanged = true;
    kept.push(entry);
    const { id, title, folder } = session;
    const place = folder !== undefined && { folder };
    for (const question of entry.open) items.push({ session: id, title, ...place, ...question });
  }
  if (isChanged || kept.length !== known.size) writeCache(context, WAITING_INDEX, kept);
  return items;
}

function isUpToDate({ fs, root }: StoreContext, entry: WaitingEntry): boolean {
  try {
    const facts = fs.lookUp(journalOf(root, entry.id));
    return facts !== undefined && isCurrent(entry, facts);
  } catch {
    return false;
  }
}

function readOpen(context: StoreContext, { id }: SessionSummary): WaitingEntry | undefined {
  try {
    // The facts first: what is appended meanwhile makes the entry one to read again.
    const facts = context.fs.lookUp(journalOf(context.root, id));
    if (facts === undefined) return undefined;
    const { size, mtimeMs, ino } = facts;
    return { id, size, mtimeMs, ino, open: openQuestions(readSession(context, id).tip.state) };
  } catch (error) {
    if (isHitlError(error)) return undefined; // gone by now, or unreadable: the list says so
    throw error;
  }
}
