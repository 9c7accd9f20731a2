import type { SessionId, SessionStore, SessionSummary } from '../../src/core/index.js';
import { HitlError, isHitlError, isQuestion, textOf } from '../../src/core/index.js';
import type { PickRow } from '../../src/human/index.js';
import { oneLineOf } from '../../src/human/index.js';
import { pickLine, pickOne } from '../../src/human/seated.js';
import { formatAge, shownTitle, stateWord } from '../../src/render/index.js';
import type { Mode } from '../flags/mode.js';
import type { Io } from '../host/index.js';
import { askHere } from '../screen/terminal-here.js';
import { askInLines } from '../screen/lines-here.js';
import { isDumb } from '../screen/terminal-facts.js';

interface Asking {
  readonly mode: Mode;
  readonly color: boolean;
}

/**
 * Lets the user choose a session from a searchable list.
 * @throws HitlError SESSION_NOT_FOUND if there are no sessions, USAGE if the user chooses none.
 */
export async function pickSession(io: Io, store: SessionStore, { mode, color }: Asking): Promise<SessionId> {
  const rows = await pickRows(store, io.clock.now());
  if (rows.length === 0) {
    throw new HitlError('SESSION_NOT_FOUND', 'no sessions yet', { hint: 'start one: hitl chat' });
  }
  const question = { message: 'Which session?', rows };
  const chosen = isDumb(io)
    ? await askInLines(io, mode.lines?.(), (context, signal) => pickLine(context, question, signal))
    : await askHere(io, color, (context, signal) => pickOne(context, question, signal));
  if (chosen !== undefined) return chosen;
  throw new HitlError('USAGE', 'no session chosen', { hint: 'hitl resume <id>, or hitl resume --last' });
}

/** Number of sessions that are read in full. All others can be found only by title and question. */
const MOST_READ = 50;
/** Maximum number of sessions offered; `hitl list --search` finds older ones. */
const MOST_OFFERED = 1_000;

/**
 * Returns a row for each recent session with its state, age, title and question. The folder and the last text
 * can also be searched.
 */
export async function pickRows(store: SessionStore, now: number): Promise<readonly PickRow<SessionId>[]> {
  const asked = new Map<SessionId, string[]>();
  for await (const { session, interrupt } of store.waiting({ limit: MOST_OFFERED }))
    if (isQuestion(interrupt)) asked.set(session, [...(asked.get(session) ?? []), oneLineOf(interrupt)]);
  const sessions: SessionSummary[] = [];
  for await (const session of store.list({ limit: MOST_OFFERED })) sessions.push(session);
  return await Promise.all(
    sessions.map(async (session, index) => {
      const { id, title, updatedAt } = session;
      const questions = (asked.get(id) ?? []).map((question) => `? ${question}`);
      return {
        value: id,
        facts: [stateWord(session), formatAge(updatedAt, now)],
        text: shownTitle(title),
        ...(questions.length > 0 && { below: questions }),
        words: [id, ...(index < MOST_READ ? [await wordsOf(store, id)] : [])].join(' '),
      };
    }),
  );
}

/** Returns a session's folder and last text; an empty string if it is unreadable. */
async function wordsOf(store: SessionStore, id: SessionId): Promise<string> {
  try {
    await using session = await store.open(id, 'read');
    const { cwd = '', entries } = session.state;
    const said = [-2, -1].map((at) => entries.at(at)).map((entry) => (entry ? textOf(entry.message) : ''));
    return [cwd, ...said].join(' ');
  } catch (thrown) {
    if (isHitlError(thrown)) return '';
    throw thrown;
  }
}
