import type { Clock, Session, SessionEvent, SessionId, StoredEvent } from '../src/core/index.js';
import { isoTime } from '../src/core/index.js';
import { decodeLine } from './format/codec.js';
import type { InboxPlace } from './inbox/inbox-place.js';
import type { MemoryInbox } from './inbox/inbox-memory.js';
import { checkWritable, closed } from './journal/open-journal.js';
import { encodeBatch, NO_RECORDS } from './journal/session-tip.js';
import type { SessionTip } from './journal/session-tip.js';
import { SessionBase } from './opening/session-base.js';

/** A session stored as bytes, so that readers get copies, as they do when a session is read from disk. */
export class MemoryRecord {
  readonly lines: Buffer[] = [];
  readonly inbox: MemoryInbox;
  tip: SessionTip = NO_RECORDS;
  hasWriter = false;

  /** @param inboxOf creates the inbox for this record. */
  constructor(inboxOf: (record: MemoryRecord) => MemoryInbox) {
    this.inbox = inboxOf(this);
  }
}

const HERE = { pid: 0, host: 'memory' };

/** An in-memory session. */
export class MemorySession extends SessionBase implements Session {
  readonly notices: readonly string[] = [];
  /** Never aborts, because no other process can write to the session. */
  readonly lost: AbortSignal = new AbortController().signal;
  readonly #record: MemoryRecord;
  readonly #clock: Clock;
  /** The tip of the session when it was opened. */
  readonly #seen: SessionTip;
  #isClosed = false;

  constructor(id: SessionId, mode: 'read' | 'write', record: MemoryRecord, clock: Clock) {
    super(id, mode);
    this.#record = record;
    this.#clock = clock;
    this.#seen = { ...record.tip, isOpened: false };
    if (mode === 'write') record.tip = this.#seen;
  }

  protected get appended(): SessionTip {
    return this.mode === 'write' ? this.#record.tip : this.#seen;
  }

  /** Identical to `appended`, because a session in memory does not need to be flushed. */
  protected get durable(): SessionTip {
    return this.appended;
  }

  protected place(): InboxPlace {
    return this.#record.inbox;
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    checkWritable(this.id, this.mode);
    if (this.#isClosed) throw closed(`session ${this.id}`);
    if (events.length === 0) return;
    const writer = { ...HERE, at: isoTime(this.#clock.now()), first: this.first };
    const { lines, stored, tip } = encodeBatch(this.#record.tip, events, writer);
    this.#record.lines.push(...lines);
    this.#record.tip = tip;
    await this.listeners.told(Promise.resolve(), () => ({ events: stored, state: tip.state }));
  }

  async *events(): AsyncIterable<StoredEvent> {
    for (const line of this.#record.lines.slice(0, this.version)) {
      const decoded = decodeLine(line.subarray(0, -1));
      if (decoded.type === 'event') yield decoded.stored;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.mode === 'write') this.#record.hasWriter = false;
  }
}
