import type { Session } from '../../src/core/index.js';
import type { PostedAnswers } from '../../src/repl/index.js';
import type { AnyStore } from '../store/index.js';
import { isFileStore } from '../store/index.js';

/** Answers that other processes leave for a session on disk; nothing where it is only in memory. */
export function postedFor(store: AnyStore, session: Session): PostedAnswers | undefined {
  return isFileStore(store) ? store.answersFor(session) : undefined;
}
