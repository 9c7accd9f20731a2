import type { RunState, SessionId } from '../../src/core/index.js';
import { isGone, openInterrupts } from '../../src/core/index.js';
import type { HeldLock } from '../lock.js';
import type { InboxRecord, LyingRecord } from './inbox-record.js';

/** The contents of an inbox up to a position, at which the next read continues. */
export interface InboxReading {
  readonly records: readonly LyingRecord[];
  readonly end: number;
}

/**
 * A session's state according to its journal, and an identifier of the past: the version of the history for
 * which answers are valid.
 */
export interface SessionNow {
  readonly state: RunState;
  readonly past: string;
}

/** The inbox of a session, next to its journal, in any kind of store. */
export interface InboxPlace {
  readonly id: SessionId;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  random(size: number): Uint8Array;
  /** Returns the records after a position. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
  read(from: number): Promise<InboxReading>;
  /**
   * Prevents other processes from adding records to the inbox or taking records from it. @throws HitlError
   * SESSION_LOCKED if it stays locked, LOCK_UNAVAILABLE
   */
  lock(signal: AbortSignal): Promise<HeldLock>;
  /** Returns the number of the last record if known; otherwise 0. */
  known(): number;
  /**
   * Appends a record durably. The caller must hold the lock.
   * @param past the version of the session's history for which the record is valid
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  append(record: InboxRecord, past: string): Promise<void>;
  /**
   * Returns the session, as recorded in its current journal. @throws HitlError SESSION_NOT_FOUND,
   * SESSION_UNREADABLE
   */
  session(): Promise<SessionNow>;
  /** Returns a value that changes whenever records are added to the journal; `undefined` if unknown. */
  journalMark(): Promise<number | undefined>;
  /** Waits until `look` returns a result. Rejects with the signal's reason if the signal aborts. */
  until<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}

/** Receives the valid records of an inbox. */
export interface InboxTaker {
  /** Adds records in order. */
  add(records: readonly InboxRecord[]): void;
  /** Removes all added records. */
  clear(): void;
}

/**
 * Determines which records of an inbox are valid (S3 of `../seal/record-seal.ts`). If a record was removed or
 * moved, all earlier records are void, because the missing record may have withdrawn them.
 */
export class InboxTally {
  readonly #taker: InboxTaker;
  #n = 0;
  /** Records that were not written with the store's key, in order. */
  readonly foreign: InboxRecord[] = [];
  /** Whether a record was removed or reinserted. */
  isBroken = false;

  constructor(taker: InboxTaker) {
    this.#taker = taker;
  }

  /** @param known a lower bound for the number of the last record */
  take(records: readonly LyingRecord[], past: string, known: number): void {
    let counted: InboxRecord[] = [];
    const breakOff = (): void => {
      this.isBroken = true;
      counted = [];
      this.#taker.clear();
    };
    for (const { record, isForeign, n = this.#n + 1, past: of } of records) {
      if (isForeign) this.foreign.push(record);
      else {
        if (n !== this.#n + 1) breakOff();
        if (n > this.#n && of === past) counted.push(record);
        this.#n = Math.max(this.#n, n);
      }
    }
    if (known > this.#n) breakOff();
    this.#taker.add(counted);
  }
}

/**
 * Describes the void records in an inbox in one line; `undefined` if there are none, or none of them would be
 * used.
 */
export function inboxNotice(
  { records }: InboxReading,
  { state, past }: SessionNow,
  known: number,
): string | undefined {
  const tally = new InboxTally({ add: () => undefined, clear: () => undefined });
  tally.take(records, past, known);
  const isWanted = wantedIn(state);
  const wanted = tally.foreign.filter(isWanted);
  const answers = wanted.filter(({ type }) => type === 'answer').length;
  const parts = [counted(answers, 'answer'), counted(wanted.length - answers, 'message')].filter(
    (part) => part !== '',
  );
  if (parts.length > 0) {
    const [were, count] = wanted.length === 1 ? ['was', 'does'] : ['were', 'do'];
    return `${parts.join(' and ')} in this session's inbox ${were} not signed with your key and ${count} not take effect`;
  }
  return tally.isBroken && records.some(({ record }) => isWanted(record))
    ? "part of this session's inbox was removed or restored, so earlier entries are ignored"
    : undefined;
}

/**
 * Returns a predicate for records that would be used if they were valid: answers to open questions, and
 * undelivered messages.
 */
export function wantedIn(state: RunState): (record: InboxRecord) => boolean {
  const open = new Set(openInterrupts(state).map(({ id }) => id));
  return (record) =>
    record.type === 'answer'
      ? open.has(record.answer.id)
      : record.type === 'message' && !isGone(state.inbox, record.item.seq);
}

function counted(count: number, noun: string): string {
  return count === 0 ? '' : `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Reads the valid records of an inbox in order. Concurrent calls do not read a record twice. */
export class InboxReader {
  readonly #place: InboxPlace;
  readonly #taker: InboxTaker;
  #tally: InboxTally;
  #past: string | undefined;
  #end = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(place: InboxPlace, taker: InboxTaker) {
    this.#place = place;
    this.#taker = taker;
    this.#tally = new InboxTally(taker);
  }

  /**
   * Reads the new records for a version of the session's history, or all records if that version has changed.
   * @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE
   */
  async look(past: string): Promise<void> {
    const reading = this.#last.then(async () => {
      if (this.#past !== past) this.#begin(past);
      const known = this.#place.known(); // before it is read: it grows meanwhile
      const { records, end } = await this.#place.read(this.#end);
      this.#end = end;
      this.#tally.take(records, past, known);
    });
    this.#last = reading.catch(() => undefined); // whoever looked is told
    return reading;
  }

  #begin(past: string): void {
    if (this.#past !== undefined) this.#taker.clear();
    this.#past = past;
    this.#end = 0;
    this.#tally = new InboxTally(this.#taker);
  }
}

/**
 * Returns a function that reads the session from its journal. The function reads the journal again only if it
 * may have grown.
 */
export function sessionReader(place: InboxPlace): () => Promise<SessionNow> {
  let read: { readonly now: SessionNow; readonly mark: number | undefined } | undefined;
  return async () => {
    const mark = await place.journalMark();
    if (read === undefined || read.mark !== mark || mark === undefined) {
      read = { now: await place.session(), mark };
    }
    return read.now;
  };
}

/**
 * Appends a record while holding the lock. The record is durable when the promise resolves. Throws the errors
 * of `lock` and `append`.
 */
export async function appendToInbox(
  place: InboxPlace,
  record: InboxRecord,
  past: string,
  signal: AbortSignal,
): Promise<void> {
  const lock = await place.lock(signal);
  try {
    await place.append(record, past);
  } finally {
    lock.release();
  }
}
