import type { RunState, SessionId } from '../../src/core/index.js';
import { isGone, openInterrupts } from '../../src/core/index.js';
import type { HeldLock } from '../lock.js';
import type { InboxRecord, LyingRecord } from './inbox-record.js';

/** An inbox's contents up to a position, from which the next reading continues. */
export interface InboxReading {
  readonly records: readonly LyingRecord[];
  readonly end: number;
}

/** A session's state according to its journal, and the past for which answers are valid. */
export interface SessionNow {
  readonly state: RunState;
  readonly past: string;
}

/** A session's inbox next to its journal, in any kind of store. */
export interface InboxPlace {
  readonly id: SessionId;
  /** Milliseconds since 1970. */
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  random(size: number): Uint8Array;
  /** Returns the records after a position. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
  read(from: number): Promise<InboxReading>;
  /**
   * Excludes others from writing and taking. @throws HitlError SESSION_LOCKED if it stays locked,
   * LOCK_UNAVAILABLE
   */
  lock(signal: AbortSignal): Promise<HeldLock>;
  /** The number of the last record, as far as it is known; otherwise 0. */
  known(): number;
  /**
   * Appends a record durably; the caller holds the lock. @param past the past for which it is valid
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  append(record: InboxRecord, past: string): Promise<void>;
  /** Returns the session by its current journal. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE */
  session(): Promise<SessionNow>;
  /** Returns a value that changes whenever the journal grows; `undefined` if unknown. */
  journalMark(): Promise<number | undefined>;
  /** Waits until `look` finds something. Rejects with the signal's reason on abort. */
  until<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}

/** Receives the records of an inbox. */
export interface InboxTaker {
  /** Adds records, in their order. */
  add(records: readonly InboxRecord[]): void;
  /** Removes everything that was added. */
  clear(): void;
}

/**
 * Determines which records of an inbox are valid (S3 of `../seal/record-seal.ts`). If one was removed or
 * moved, everything before it is void: it may have withdrawn the rest.
 */
export class InboxTally {
  readonly #taker: InboxTaker;
  #n = 0;
  /** Foreign records, in their order. */
  readonly foreign: InboxRecord[] = [];
  /** Whether a record disappeared or reappeared. */
  isBroken = false;

  constructor(taker: InboxTaker) {
    this.#taker = taker;
  }

  /** @param known the number that the last of these records has at least */
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

/** Describes the void records of an inbox in one line; nothing if there are none, or they are not awaited. */
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
    return `${parts.join(' and ')} in this session's inbox ${were} not written here and ${count} not count`;
  }
  return tally.isBroken && records.some(({ record }) => isWanted(record))
    ? "part of this session's inbox was taken away or put back: what was left there before does not count"
    : undefined;
}

/** Returns which void records would be used: answers to open questions, and undelivered messages. */
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

/** An inbox's valid records in order: concurrent reads by several callers read nothing twice. */
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
   * Reads new records of a past; all of them if the past changed. @throws HitlError SESSION_UNREADABLE,
   * SESSION_UNSAFE
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

/** Reads the session by its current journal; again only if that has grown, as far as known. */
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

/** Appends a record under the lock; durable when it resolves. Errors as for `lock` and `append`. */
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
