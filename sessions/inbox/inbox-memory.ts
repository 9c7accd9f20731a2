import { Mutex } from '../../src/core/index.js';
import type { InboxPlace } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

/** The time between two looks for a change. */
const POLL_MS = 50;

/** The inbox of a session in memory: its records are copies, as those of a file are. */
export function inboxInMemory(
  world: Pick<InboxPlace, 'id' | 'now' | 'sleep' | 'random' | 'session' | 'journalMark'>,
): InboxPlace {
  const records: InboxRecord[] = [];
  const turn = new Mutex();
  return {
    ...world,
    read: async (from) => ({
      records: structuredClone(records.slice(from)).map((record) => ({ record, isForeign: false, past: '' })),
      end: Math.max(from, records.length),
    }),
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
