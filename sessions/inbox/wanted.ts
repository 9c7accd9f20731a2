import { awaiting, isGone, openInterrupts } from '../../src/core/index.js';
import type { InboxPlace, SessionNow } from './inbox-place.js';
import { InboxReader } from './inbox-place.js';
import type { InboxRecord } from './inbox-record.js';

/**
 * True where something lies in the inbox that somebody is to go on with: an answer to an open question that is no vote
 * and was not refused, or an event that is waited for. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE
 */
export async function isWanted(place: InboxPlace, { state, past }: SessionNow): Promise<boolean> {
  let lying: readonly InboxRecord[] = [];
  const reader = new InboxReader(place, {
    add: (records) => {
      lying = [...lying, ...records];
    },
    clear: () => {
      lying = [];
    },
  });
  await reader.look(past);
  const open = openInterrupts(state);
  const refused = new Set(lying.filter(({ type }) => type === 'refusal').map(({ receipt }) => receipt));
  return lying.some((record) => {
    if (record.type === 'answer') {
      const { receipt, answer } = record;
      const isCast = state.votes?.some((vote) => vote.id === answer.id && vote.receipt === receipt) === true;
      return open.some(({ id }) => id === answer.id) && !refused.has(receipt) && !isCast;
    }
    if (record.type !== 'message' || record.item.type !== 'message') return false;
    return !isGone(state.inbox, record.item.seq) && awaiting(open, record.item) !== undefined;
  });
}
