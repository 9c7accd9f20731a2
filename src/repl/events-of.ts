import type { Session, StoredEvent } from '../core/index.js';

/** Reads all events of a session. */
export async function eventsOf(session: Session): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const stored of session.events()) all.push(stored);
  return all;
}
