import type { SessionId, SessionStore, SessionSummary } from '../../src/core/index.js';
import { HitlError, isHitlError, isQuestion, textOf } from '../../src/core/index.js';
import type { PickRow } from '../../src/human/index.js';
import { oneLineOf } from '../../src/human/index.js';
import { pickLine, pickOne } from '../../src/human/seated.js';
import { formatAge, stateWord } from '../../src/render/index.js';
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
 * Lets the person choose a session from a searchable list.
 * @throws HitlError SESSION_NOT_FOUND where there is none, USAGE where the person chose none.
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

/** Sessions of which more is read than the list says; the others are found by their title and question. */
const MOST_READ = 50;
/** Sessions that are offered: what is older is found by `hitl list --search`. */
const MOST_OFFERED = 1_000;

/** A row for each of the newest sessions: state, age, title and what it asks; found by folder and last words as well. */
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
        text: title,
        ...(questions.length > 0 && { below: questions }),
        words: [id, ...(index < MOST_READ ? [await wordsOf(store, id)] : [])].join(' '),
      };
    }),
  );
}

/** The folder of a session and what was said last in it; nothing where it cannot be read. */
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
