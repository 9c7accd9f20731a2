import type { Session, SessionEvent } from '../../src/core/index.js';
import { withAppend } from './with-append.js';

/** A session that writes the given events together with the first thing that happens in it, and not before. */
export function withFirstEvents(session: Session, events: readonly SessionEvent[]): Session {
  if (events.length === 0) return session;
  let waiting = events;
  return withAppend(session, async (more, options) => {
    const first = waiting;
    waiting = [];
    try {
      await session.append([...first, ...more], options);
    } catch (thrown) {
      waiting = first; // nothing of it counts: they are still the first
      throw thrown;
    }
  });
}
