import type { Session, SessionEvent } from '../src/core/index.js';

/** A session that writes the given events together with the first thing that happens in it, and not before. */
export function withFirstEvents(session: Session, events: readonly SessionEvent[]): Session {
  if (events.length === 0) return session;
  let waiting = events;
  return {
    id: session.id,
    mode: session.mode,
    notices: session.notices,
    get version() {
      return session.version;
    },
    get state() {
      return session.state;
    },
    async append(more) {
      const first = waiting;
      waiting = [];
      await session.append([...first, ...more]);
    },
    events: () => session.events(),
    async saveTranscript() {
      await session.saveTranscript?.();
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
