import type { SessionQuery, SessionSummary } from '../../src/core/index.js';
import { newestFirst } from '../format/summary.js';

/** Yields the sessions that match a query. `all` must be sorted newest first. */
export function* selectSessions(
  all: Iterable<SessionSummary>,
  { status, unread, search, before, limit = Infinity }: SessionQuery,
): Generator<SessionSummary> {
  const wanted = search?.toLowerCase();
  let count = 0;
  for (const session of all) {
    if (count >= limit) return;
    if (before !== undefined && newestFirst(session, before) <= 0) continue;
    if (status !== undefined && session.status !== status) continue;
    if (unread === true && session.unread !== true) continue;
    if (wanted !== undefined && !`${session.id} ${session.title}`.toLowerCase().includes(wanted)) continue;
    count += 1;
    yield session;
  }
}
