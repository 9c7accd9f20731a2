import { needsWords } from '../../sessions/index.js';
import type { SessionId, SessionStore, Shown } from '../../src/core/index.js';
import { count, escapeText, isHitlError, plainLine, shown } from '../../src/core/index.js';

/** Maximum number of kinds of sessions to list. */
const TOLD = 3;
/** Maximum number of sessions to count. */
const MANY = 1_001;
/** Width of the text that describes what a session needs from a worker, in columns. */
const WORDS_COLUMNS = 40;
/** Width of a reason that contains a folder, in columns. */
const WHY_COLUMNS = 120;
/**
 * End of the reason from `../running/worker-bounds.ts` that contains a folder. Such a reason is shown in
 * full.
 */
const OUTSIDE = 'outside the folders served here';

/**
 * Describes due sessions that no live worker can run. Empty if the store does not support workers, or if no
 * worker is alive. Ignores errors from the store. @param session limits the result to this session
 */
export async function unservedLines(
  { capabilities: { workers } }: Pick<SessionStore, 'capabilities'>,
  session?: SessionId,
): Promise<readonly Shown[]> {
  try {
    const unserved = (await workers?.unserved(session)) ?? [];
    const lines = unserved.slice(0, TOLD).map(({ needs, why, sessions }) => {
      const what = session === undefined ? sessionCount(sessions) : shown`this`;
      return shown`no worker can run ${what}: ${missing(needs, why)}`;
    });
    const more = unserved.length - TOLD;
    return more > 0
      ? [...lines, shown`no worker can run ${count(more, 'other kind')} of session: hitl store status`]
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

/** Formats a number of sessions. Numbers above the counted maximum are shown as "more than". */
export function sessionCount(sessions: number): Shown {
  return sessions >= MANY
    ? shown`more than ${escapeText(String(MANY - 1))} sessions`
    : count(sessions, 'session');
}
