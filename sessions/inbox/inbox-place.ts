import type { RunState, SessionId } from '../../src/core/index.js';
import type { HeldLock } from '../lock/index.js';
import type { InboxRecord } from './inbox-record.js';

/** The content of an inbox up to a place; the next reading goes on from there. */
export interface InboxReading {
  readonly records: readonly InboxRecord[];
  readonly end: number;
}

/** The inbox of a session beside its journal, wherever a store keeps both. */
export interface InboxPlace {
  readonly id: SessionId;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  random(size: number): Uint8Array;
  /** The records behind a place. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
  read(from: number): InboxReading;
  /** Keeps all others from writing and taking. @throws HitlError SESSION_LOCKED where it stays locked, LOCK_UNAVAILABLE */
  lock(signal: AbortSignal): Promise<HeldLock>;
  /** Appends a record, durably, for whoever has the lock. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
  append(record: InboxRecord): Promise<void>;
  /** The session as its journal says by now. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE */
  state(): RunState;
  /** Something that is another one whenever the journal has grown; `undefined` where that cannot be told. */
  journalMark(): number | undefined;
  /** Waits until `look` finds something. Rejects with the signal's reason when it aborts. */
  until<T>(look: () => T | undefined, signal: AbortSignal): Promise<T>;
}

/** Appends a record under the lock; durable when it resolves. Errors as for `lock` and `append`. */
export async function appendToInbox(
  place: InboxPlace,
  record: InboxRecord,
  signal: AbortSignal,
): Promise<void> {
  const lock = await place.lock(signal);
  try {
    await place.append(record);
  } finally {
    lock.release();
  }
}
