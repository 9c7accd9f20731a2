import type { InboxPlace } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

/** The time between two looks for a change. */
const POLL_MS = 50;

/** The inbox of a session in memory: its records are copies, as those of a file are. */
export function inboxInMemory(
  world: Pick<InboxPlace, 'id' | 'now' | 'sleep' | 'random' | 'state' | 'journalMark'>,
): InboxPlace {
  const records: InboxRecord[] = [];
  let turn: Promise<void> = Promise.resolve();
  return {
    ...world,
    read: async (from) => ({
      records: structuredClone(records.slice(from)),
      end: Math.max(from, records.length),
    }),
    async lock(signal) {
      signal.throwIfAborted();
      const before = turn;
      let release = (): void => undefined;
      turn = new Promise((resolve) => {
        release = resolve;
      });
      await before;
      return { release };
    },
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
