import { needsWords } from '../../sessions/index.js';
import type { SessionId, SessionStore, Shown } from '../../src/core/index.js';
import { count, escapeText, isHitlError, plainLine, shown } from '../../src/core/index.js';

/** Needs of which each is told. */
const TOLD = 3;
/** From here on nobody counted. */
const MANY = 1_001;
/** Columns of what is needed. */
const WORDS_COLUMNS = 40;
/** Columns of the reason that names a folder. */
const WHY_COLUMNS = 120;
/** As `../running/worker-bounds.ts` ends its words: the folder is what is needed then, whatever is in it. */
const OUTSIDE = 'outside the folders served here';

/**
 * Says what no worker that lives can run, though it is to be gone on with now; nothing in a store without workers, or
 * where none lives. What cannot be asked is not told. @param session of that one alone
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

/** The number of sessions, as far as it was counted. */
export function sessionCount(sessions: number): Shown {
  return sessions >= MANY
    ? shown`more than ${escapeText(String(MANY - 1))} sessions`
    : count(sessions, 'session');
}
