// The part of this layer that most listings need: without what reads, writes, repairs and sends.
import type { SessionQuery, SessionSummary } from '../../src/core/index.js';
import type { FileStoreOptions } from '../folder/store-options.js';
import { storeContext } from '../folder/store-options.js';
import { isWhole, knownSessions, summariesOf } from './known-sessions.js';
import { selectSessions } from './select-sessions.js';

/**
 * Returns the same result as `FileStore.list` without reading any session; `undefined` if a session has
 * changed since the last list.
 */
export function listKnown(
  options: FileStoreOptions,
  query: SessionQuery,
): Iterable<SessionSummary> | undefined {
  const context = storeContext(options);
  const found = knownSessions(context);
  return isWhole(found) ? selectSessions(summariesOf(context, found.known), query) : undefined;
}
