import type {
  Clock,
  RunState,
  SessionEvent,
  SessionId,
  SessionInit,
  SessionStore,
  SessionSummary,
  StoredEvent,
} from '../src/core/index.js';
import { HitlError, isoTime } from '../src/core/index.js';
import { decodeLine, newestFirst, summaryOf } from './format/index.js';
import { checkWritable, createdEvent, encodeBatch, exists, NO_RECORDS, notFound } from './journal/index.js';
import type { SavedSession } from './format/index.js';
import { checkSessionId, newSessionId } from './folder/index.js';
import type { SessionTip } from './journal/index.js';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Unpredictable bytes, for new ids. */
  readonly random: (size: number) => Uint8Array;
}

/** One session as bytes, so that a reader gets copies, as it does from a disk. */
class MemoryRecord {
  readonly lines: Buffer[] = [];
  tip: SessionTip = NO_RECORDS;
  hasWriter = false;
}

const HERE = { pid: 0, host: 'memory' };

class MemorySession implements SavedSession {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  readonly notices: readonly string[] = [];
  readonly #record: MemoryRecord;
  readonly #clock: Clock;
  /** What a reader saw when it opened the session. */
  readonly #seen: SessionTip;
  #isClosed = false;

  constructor(id: SessionId, mode: 'read' | 'write', record: MemoryRecord, clock: Clock) {
    this.id = id;
    this.mode = mode;
    this.#record = record;
    this.#clock = clock;
    this.#seen = { ...record.tip, isOpened: false };
    if (mode === 'write') record.tip = this.#seen;
  }

  get version(): number {
    return this.#tip.seq;
  }

  get state(): RunState {
    return this.#tip.state;
  }

  get createdAt(): string {
    return this.#tip.createdAt;
  }

  get updatedAt(): string {
    return this.#tip.updatedAt;
  }

  get #tip(): SessionTip {
    return this.mode === 'write' ? this.#record.tip : this.#seen;
  }

  async append(events: readonly SessionEvent[]): Promise<void> {
    checkWritable(this.id, this.mode);
    if (this.#isClosed) throw new HitlError('INTERNAL', `session ${this.id} is closed`);
    if (events.length === 0) return;
    const { lines, tip } = encodeBatch(this.#record.tip, events, { ...HERE, at: isoTime(this.#clock.now()) });
    this.#record.lines.push(...lines);
    this.#record.tip = tip;
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

/** Sessions that end with the process: for `--no-save`, and for tests. */
export class MemoryStore implements SessionStore {
  readonly #options: MemoryStoreOptions;
  readonly #records = new Map<SessionId, MemoryRecord>();

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
  }

  async create(init: SessionInit): Promise<SavedSession> {
    const { clock, random } = this.#options;
    const id = init.id === undefined ? newSessionId(clock.now(), random) : checkSessionId(init.id);
    if (this.#records.has(id)) throw exists(id);
    const record = new MemoryRecord();
    this.#records.set(id, record);
    const session = this.#openToWrite(id, record);
    await session.append([createdEvent(init)]);
    return session;
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<SavedSession> {
    const record = this.#find(id);
    return mode === 'read'
      ? new MemorySession(id, mode, record, this.#options.clock)
      : this.#openToWrite(id, record);
  }

  async *list(): AsyncIterable<SessionSummary> {
    const summaries = [...this.#records].map(([id, { tip, hasWriter }]) => summaryOf(id, tip, hasWriter));
    yield* summaries.sort(newestFirst);
  }

  async remove(id: SessionId): Promise<void> {
    if (this.#find(id).hasWriter) throw locked(id);
    this.#records.delete(id);
  }

  #find(id: SessionId): MemoryRecord {
    const record = this.#records.get(checkSessionId(id));
    if (record === undefined) throw notFound(id);
    return record;
  }

  #openToWrite(id: SessionId, record: MemoryRecord): MemorySession {
    if (record.hasWriter) throw locked(id);
    record.hasWriter = true;
    return new MemorySession(id, 'write', record, this.#options.clock);
  }
}

function locked(id: SessionId): HitlError {
  return new HitlError('SESSION_LOCKED', `session ${id} is in use in this process`, {
    hint: 'close it first, or open it for reading',
  });
}

/** A store of sessions in memory. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new MemoryStore(options);
}
