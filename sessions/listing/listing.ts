// The part of this layer that listings need: without what writes, repairs and sends.
import type { SessionQuery, SessionSummary } from '../../src/core/index.js';
import { listSessions } from './list-sessions.js';
import type { FileStoreOptions } from '../folder/index.js';
import { storeContext } from '../folder/index.js';
import { selectSessions } from './select-sessions.js';

/** Tells what `FileStore.list` tells, for a program that does nothing else with the store. */
export function listStore(options: FileStoreOptions, query: SessionQuery): Iterable<SessionSummary> {
  return selectSessions(listSessions(storeContext(options)), query);
}
