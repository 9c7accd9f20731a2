import type { Session } from '../../src/core/index.js';

/** The same session with another way to write into it. */
export function withAppend(session: Session, append: Session['append']): Session {
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
    append,
    events: () => session.events(),
    async saveTranscript() {
      await session.saveTranscript?.();
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
