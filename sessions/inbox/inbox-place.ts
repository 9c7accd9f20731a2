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
  read(from: number): Promise<InboxReading>;
  /** Keeps all others from writing and taking. @throws HitlError SESSION_LOCKED where it stays locked, LOCK_UNAVAILABLE */
  lock(signal: AbortSignal): Promise<HeldLock>;
  /** Appends a record, durably, for whoever has the lock. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
  append(record: InboxRecord): Promise<void>;
  /** The session as its journal says by now. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE */
  state(): Promise<RunState>;
  /** Something that is another one whenever the journal has grown; `undefined` where that cannot be told. */
  journalMark(): Promise<number | undefined>;
  /** Waits until `look` finds something. Rejects with the signal's reason when it aborts. */
  until<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}

/** The records of an inbox, one after the other: looks of several callers at once read nothing twice. */
export class InboxReader {
  readonly #place: InboxPlace;
  readonly #add: (records: readonly InboxRecord[]) => void;
  #end = 0;
  #last: Promise<void> = Promise.resolve();

  /** @param add takes the records in, in their order. */
  constructor(place: InboxPlace, add: (records: readonly InboxRecord[]) => void) {
    this.#place = place;
    this.#add = add;
  }

  /** Takes in what is new. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
  async look(): Promise<void> {
    const reading = this.#last.then(async () => {
      const { records, end } = await this.#place.read(this.#end);
      this.#end = end;
      this.#add(records);
    });
    this.#last = reading.catch(() => undefined); // whoever looked is told
    return reading;
  }
}

/** Reads the session as its journal says by now; once more only where that has grown, as far as it can be told. */
export function stateReader(place: InboxPlace): () => Promise<RunState> {
  let read: { readonly state: RunState; readonly mark: number | undefined } | undefined;
  return async () => {
    const mark = await place.journalMark();
    if (read === undefined || read.mark !== mark || mark === undefined) {
      read = { state: await place.state(), mark };
    }
    return read.state;
  };
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
