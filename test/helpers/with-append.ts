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
    get createdAt() {
      return session.createdAt;
    },
    get updatedAt() {
      return session.updatedAt;
    },
    lost: session.lost,
    append,
    beginWith: (events) => {
      session.beginWith(events);
    },
    onAppended: (listener) => session.onAppended(listener),
    answers: () => session.answers(),
    inbox: () => session.inbox(),
    events: () => session.events(),
    async saveTranscript() {
      await session.saveTranscript?.();
    },
    [Symbol.asyncDispose]: () => session[Symbol.asyncDispose](),
  };
}
