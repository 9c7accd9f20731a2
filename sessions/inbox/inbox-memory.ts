import { Mutex } from '../../src/core/index.js';
import type { InboxPlace, InboxReading, SessionNow } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';
import { hasWanted } from './wanted.js';

/** Polling interval. */
const POLL_MS = 50;

/** An in-memory inbox. */
export interface MemoryInbox extends InboxPlace {
  /** Like `isWanted`, synchronously. */
  isWanted(session: SessionNow): boolean;
}

/**
 * Creates an in-memory inbox for a session. Reading returns copies of the records, as it does for an inbox on
 * disk.
 */
export function inboxInMemory(
  world: Pick<InboxPlace, 'id' | 'now' | 'sleep' | 'random' | 'session' | 'journalMark'>,
): MemoryInbox {
  const records: InboxRecord[] = [];
  const turn = new Mutex();
  const readFrom = (from: number): InboxReading => ({
    records: structuredClone(records.slice(from)).map((record) => ({ record, isForeign: false, past: '' })),
    end: Math.max(from, records.length),
  });
  return {
    ...world,
    read: async (from) => readFrom(from),
    isWanted: (session) => hasWanted(readFrom(0), session, 0),
    lock: async (signal) => ({ release: await turn.acquire(signal) }),
    known: () => 0,
    append(record) {
      records.push(structuredClone(record));
      return Promise.resolve();
    },
    async until(look, signal) {
      for (;;) {
        signal.throwIfAborted();
        const found = await look();
        if (found !== undefined) return found;
        await world.sleep(POLL_MS, signal);
      }
    },
  };
}
