import type { Session, StoredEvent } from '../../src/core/index.js';

/** Every event of a session, read into memory. */
export async function eventsOf(session: Session): Promise<readonly StoredEvent[]> {
  const all: StoredEvent[] = [];
  for await (const stored of session.events()) all.push(stored);
  return all;
}
