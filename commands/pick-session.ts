import { search } from '@inquirer/prompts';
import type { SessionId, SessionSummary } from '../src/core/index.js';
import { HitlError, plainLine } from '../src/core/index.js';
import type { FileStore } from '../sessions/index.js';
import { formatAge } from '../src/render/index.js';
import type { Io } from './io.js';

/**
 * Lets the person choose a session from a searchable list.
 * @throws HitlError SESSION_NOT_FOUND where there is none.
 */
export async function pickSession(io: Io, store: FileStore): Promise<SessionId> {
  const sessions: SessionSummary[] = [];
  for await (const session of store.list()) sessions.push(session);
  if (sessions.length === 0)
    throw new HitlError('SESSION_NOT_FOUND', 'there are no sessions yet', { hint: 'start one: hitl chat' });
  const choices = sessions.map((session) => ({ value: session.id, name: lineOf(session, io.clock.now()) }));
  const source = (term: string | undefined): typeof choices => {
    const wanted = (term ?? '').toLowerCase();
    return choices.filter(({ name }) => name.toLowerCase().includes(wanted));
  };
  return search({ message: 'Which session?', source, pageSize: 12 }, { input: io.stdin, output: io.stderr });
}

function lineOf({ id, title, status, waiting, updatedAt }: SessionSummary, now: number): string {
  const state = status === 'waiting' ? `waiting(${waiting})` : status;
  return `${id}  ${state.padEnd(11)} ${formatAge(updatedAt, now).padEnd(9)} ${plainLine(title, 60)}`;
}
