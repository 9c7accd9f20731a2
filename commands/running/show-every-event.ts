import type { Renderer, Session, StoredEvent } from '../../src/core/index.js';
import { withAppend } from './with-append.js';

/**
 * A session that also shows what is written without being asked for, before the first event: that it was made, opened,
 * or goes on with another agent. So the numbers of a stream leave none out: from 1 in a new session, else from where it
 * rested.
 */
export function showEveryEvent(session: Session, renderer: Renderer): Session {
  const seen = isNew(session) ? 0 : session.version;
  let isFirst = true;
  return withAppend(session, async (events, options) => {
    if (!isFirst) return session.append(events, options);
    isFirst = false;
    const appended = session.append(events);
    const { version, state } = session; // what is appended before these are durable comes behind them
    await appended.catch((thrown: unknown) => {
      isFirst = true; // nothing was: the next ones are the first
      throw thrown;
    });
    for (const { seq, event } of await between(session, seen, version - events.length))
      renderer.event(event, seq, state);
  });
}

/** Nothing but its making is in it. */
function isNew({ version, state }: Session): boolean {
  return version <= 2 && state.entries.length === 0;
}

async function between(session: Session, after: number, upTo: number): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for await (const stored of session.events()) {
    if (stored.seq > upTo) break;
    if (stored.seq > after) found.push(stored);
  }
  return found;
}
