import type { SessionId, SessionSummary } from '../src/core/index.js';
import { readOwner } from './lock.js';
import { isOwnerAlive } from './lock-owner.js';
import { openToRead } from './open-session.js';
import { sessionFolder } from './session-folder.js';
import { sessionIds } from './session-ids.js';
import type { StoreContext } from './store-options.js';
import { newestFirst, summaryOf } from './summary.js';

/** Every session, newest first. */
export function listSessions(context: StoreContext): readonly SessionSummary[] {
  const summaries = sessionIds(context).map((id) =>
    summaryOf(id, openToRead(context, id), isInUse(context, id)),
  );
  return summaries.sort(newestFirst);
}

function isInUse({ root, fs, processes }: StoreContext, id: SessionId): boolean {
  const owner = readOwner(fs, sessionFolder(root, id).lock);
  return owner !== undefined && isOwnerAlive(owner, processes) === true;
}
