import type { SessionId, SessionStore } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { PickRow } from '../../src/human/index.js';
import { pickLine, pickOne } from '../../src/human/index.js';
import { formatAge, stateWord } from '../../src/render/index.js';
import type { Mode } from '../flags/index.js';
import type { Io } from '../host/index.js';
import { askHere, askInLines, isDumb } from '../host/index.js';

interface Asking {
  readonly mode: Mode;
  readonly color: boolean;
}

/**
 * Lets the person choose a session from a searchable list.
 * @throws HitlError SESSION_NOT_FOUND where there is none, USAGE where the person chose none.
 */
export async function pickSession(io: Io, store: SessionStore, { mode, color }: Asking): Promise<SessionId> {
  const now = io.clock.now();
  const rows: PickRow<SessionId>[] = [];
  for await (const session of store.list()) {
    const { id, title, updatedAt } = session;
    rows.push({
      value: id,
      label: `${id}  ${stateWord(session).padEnd(11)} ${formatAge(updatedAt, now).padEnd(9)} ${title}`,
    });
  }
  if (rows.length === 0) {
    throw new HitlError('SESSION_NOT_FOUND', 'there are no sessions yet', { hint: 'start one: hitl chat' });
  }
  const question = { message: 'Which session?', rows };
  const chosen = isDumb(io)
    ? await askInLines(io, await mode.lines?.(), (context, signal) => pickLine(context, question, signal))
    : await askHere(io, color, (context, signal) => pickOne(context, question, signal));
  if (chosen !== undefined) return chosen;
  throw new HitlError('USAGE', 'no session was chosen', { hint: 'hitl resume <id>, or hitl resume --last' });
}
