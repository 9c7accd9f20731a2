import { changedSince } from '../journal/open-journal.js';
import type { InboxPlace } from './inbox-place.js';
import { MessageQueue } from './message-queue.js';

/**
 * Runs work on a session that has no queued messages, and prevents new messages from being sent in the
 * meantime.
 * @throws HitlError VERSION_CONFLICT if a message is queued, and any error of `InboxPlace.lock` or the work
 */
export async function withoutMail<T>(place: InboxPlace, work: () => Promise<T>): Promise<T> {
  const queue = new MessageQueue(place);
  const look = async (): Promise<void> => {
    const { total } = await queue.list({ pageSize: 1 });
    if (total > 0) throw changedSince(place.id);
  };
  await look(); // a session that is not there is told as such
  const lock = await place.lock(new AbortController().signal);
  try {
    await look();
    return await work();
  } finally {
    lock.release();
  }
}
