import type { SessionId } from '../ids.js';

/**
 * Calls workers for sessions in which something is to be done: in this process, from a queue, by an engine. It holds no truth,
 * and may call twice, late, or where nothing is to be done: whoever is called looks into the journal, and the hold of the
 * session keeps two writers apart.
 */
export interface Dispatcher {
  /**
   * Has a session looked at, now or at the moment `at` (milliseconds since 1970). Done once that is kept as well as this
   * dispatcher keeps anything. @throws HitlError SAVE_FAILED
   */
  wake(id: SessionId, at?: number): Promise<void>;
  /**
   * Hands over sessions that were woken, each to one worker at a time, until the signal aborts and what runs has ended. A
   * session whose handling failed, or was cut short, is handed over again.
   */
  work(handle: (id: SessionId, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}
