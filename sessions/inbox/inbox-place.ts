import type { RunState, SessionId } from '../../src/core/index.js';
import { isGone, openInterrupts } from '../../src/core/index.js';
import type { HeldLock } from '../lock.js';
import type { InboxRecord, LyingRecord } from './inbox-record.js';

/** The content of an inbox up to a place; the next reading goes on from there. */
export interface InboxReading {
  readonly records: readonly LyingRecord[];
  readonly end: number;
}

/** A session as its journal says, and the past that answers count in. */
export interface SessionNow {
  readonly state: RunState;
  readonly past: string;
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
  /** The number that the last record has for certain; 0 where none is known. */
  known(): number;
  /**
   * Appends a record, durably, for whoever has the lock. @param past the one that it counts in
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  append(record: InboxRecord, past: string): Promise<void>;
  /** The session as its journal says by now. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE */
  session(): Promise<SessionNow>;
  /** Something that is another one whenever the journal has grown; `undefined` where that cannot be told. */
  journalMark(): Promise<number | undefined>;
  /** Waits until `look` finds something. Rejects with the signal's reason when it aborts. */
  until<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T>;
}

/** Whoever takes in the records of an inbox. */
export interface InboxTaker {
  /** Takes records in, in their order. */
  add(records: readonly InboxRecord[]): void;
  /** Forgets all that was added. */
  clear(): void;
}

/**
 * Tells which records of an inbox count (S3 of `../seal/record-seal.ts`). Where one was taken away, or put back in another
 * place, nothing before it counts: it may be what took back the rest.
 */
export class InboxTally {
  readonly #taker: InboxTaker;
  #n = 0;
  /** Foreign records, in their order. */
  readonly foreign: InboxRecord[] = [];
  /** A record that was there is gone, or came back. */
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

/** Says in a line what lies in an inbox and does not count; nothing where all of it does, or nobody waits for it. */
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

/** Tells what would be taken if it counted: answers to open questions, and messages that were not delivered. */
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

/** The records of an inbox that count, one after the other: looks of several callers at once read nothing twice. */
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

  /** Takes in what is new, of a past; of another one than before, all again. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
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

/** Reads the session as its journal says by now; once more only where that has grown, as far as it can be told. */
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
