import type { RunState } from '../../src/core/index.js';
import { awaiting, isGone, openInterrupts } from '../../src/core/index.js';
import type { InboxPlace, InboxReading, SessionNow } from './inbox-place.js';
import { InboxReader, InboxTally } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

/**
 * Whether the inbox contains a record that requires the session to continue: an awaited event, or an accepted
 * answer to an open question, provided that the answer is not yet recorded as a vote. @throws HitlError
 * SESSION_UNREADABLE, SESSION_UNSAFE
 */
export async function isWanted(place: InboxPlace, { state, past }: SessionNow): Promise<boolean> {
  const lying = new Lying();
  await new InboxReader(place, lying).look(past);
  return lying.isWanted(state);
}

/**
 * Like `isWanted`, for inbox contents that were already read. @param known a lower bound for the number of
 * the last record
 */
export function hasWanted({ records }: InboxReading, { state, past }: SessionNow, known: number): boolean {
  const lying = new Lying();
  new InboxTally(lying).take(records, past, known);
  return lying.isWanted(state);
}

/** The valid records of an inbox. */
class Lying {
  #records: readonly InboxRecord[] = [];

  add(records: readonly InboxRecord[]): void {
    this.#records = [...this.#records, ...records];
  }

  clear(): void {
    this.#records = [];
  }

  isWanted(state: RunState): boolean {
    const lying = this.#records;
    const open = openInterrupts(state);
    const refused = new Set(lying.filter(({ type }) => type === 'refusal').map(({ receipt }) => receipt));
    return lying.some((record) => {
      if (record.type === 'answer') {
        const { receipt, answer } = record;
        const isCast =
          state.votes?.some((vote) => vote.id === answer.id && vote.receipt === receipt) === true;
        return open.some(({ id }) => id === answer.id) && !refused.has(receipt) && !isCast;
      }
      if (record.type !== 'message' || record.item.type !== 'message') return false;
      return !isGone(state.inbox, record.item.seq) && awaiting(open, record.item) !== undefined;
    });
  }
}
