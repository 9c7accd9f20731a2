import { needsWords } from '../../sessions/index.js';
import type { SessionId, SessionStore, Shown } from '../../src/core/index.js';
import { count, escapeText, isHitlError, plainLine, shown } from '../../src/core/index.js';

/** Number of listed needs. */
const TOLD = 3;
/** Sessions are counted up to here. */
const MANY = 1_001;
/** Width of a need. */
const WORDS_COLUMNS = 40;
/** Columns of the reason that names a folder. */
const WHY_COLUMNS = 120;
/** Ending of the words in `../running/worker-bounds.ts`: then the folder is needed, whatever it contains. */
const OUTSIDE = 'outside the folders served here';

/**
 * Describes due sessions that no live worker can run; empty in a store without workers, or if none is alive.
 * Skips what cannot be queried. @param session limits it to that one
 */
export async function unservedLines(
  { capabilities: { workers } }: Pick<SessionStore, 'capabilities'>,
  session?: SessionId,
): Promise<readonly Shown[]> {
  try {
    const unserved = (await workers?.unserved(session)) ?? [];
    const lines = unserved.slice(0, TOLD).map(({ needs, why, sessions }) => {
      const what = session === undefined ? sessionCount(sessions) : shown`this`;
      return shown`no worker here can run ${what}: ${missing(needs, why)}`;
    });
    const more = unserved.length - TOLD;
    return more > 0
      ? [...lines, shown`no worker here can run ${count(more, 'other kind')} of session: hitl store status`]
      : lines;
  } catch (thrown) {
    if (!isHitlError(thrown)) throw thrown;
    return [];
  }
}

function missing(needs: string, why: string): Shown {
  return why.endsWith(OUTSIDE)
    ? plainLine(why, WHY_COLUMNS)
    : shown`needs ${plainLine(needsWords(needs), WORDS_COLUMNS)}`;
}

/** Formats the number of sessions, as far as counted. */
export function sessionCount(sessions: number): Shown {
  return sessions >= MANY
    ? shown`more than ${escapeText(String(MANY - 1))} sessions`
    : count(sessions, 'session');
}
