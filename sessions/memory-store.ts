import type {
  EventTail,
  Answer,
  AnswerFate,
  Clock,
  Posted,
  PostOptions,
  RemoveOptions,
  Session,
  SessionId,
  SessionInit,
  SessionMail,
  SessionQuery,
  SessionStore,
  SessionSummary,
  StoreCapabilities,
  StoreChange,
  WaitingItem,
  WaitingQuery,
} from '../src/core/index.js';
import { checkSessionId, HitlError, openQuestions } from '../src/core/index.js';
import { MemoryDeliveries } from './delivery-book.js';
import { newSessionId } from './folder/session-id.js';
import { newestFirst, summaryOf } from './format/summary.js';
import { fateOfAnswer, postAnswer } from './inbox/post-answer.js';
import { inboxInMemory } from './inbox/inbox-memory.js';
import { MessageQueue } from './inbox/message-queue.js';
import { withoutMail } from './inbox/without-mail.js';
import { changedSince, exists, notFound } from './journal/open-journal.js';
import { createdEvent } from './journal/session-tip.js';
import { recordReader } from './journal/scan-journal.js';
import { resolveId } from './listing/resolve-id.js';
import { selectSessions } from './listing/select-sessions.js';
import { selectWaiting } from './listing/select-waiting.js';
import { watchSessions } from './listing/watch-sessions.js';
import { MemoryRecord, MemorySession } from './memory-session.js';

/** Options for an in-memory session store. */
export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Returns unpredictable bytes for new ids. */
  readonly random: (size: number) => Uint8Array;
}

/** A store whose sessions are lost when the process ends, for `--no-save` and for tests. */
export class MemoryStore implements SessionStore {
  readonly capabilities: StoreCapabilities = {
    ...{ shared: false, durable: false },
    deliveries: new MemoryDeliveries(() => this.waiting()),
  };
  readonly clock: Clock;
  readonly #options: MemoryStoreOptions;
  readonly #records = new Map<SessionId, MemoryRecord>();

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
    this.clock = options.clock;
  }

  async create(init: SessionInit): Promise<Session> {
    const { clock, random } = this.#options;
    const id = init.id === undefined ? newSessionId(clock.now(), random) : checkSessionId(init.id);
    if (this.#records.has(id)) throw exists(id);
    const record = this.#newRecord(id);
    const session = this.#openToWrite(id, record);
    this.#records.set(id, record);
    try {
      await session.append([createdEvent(init), ...(init.events ?? [])]);
    } catch (thrown) {
      this.#records.delete(id); // there is none whose first events do not fit
      throw thrown;
    }
    return session;
  }

  #newRecord(id: SessionId): MemoryRecord {
    const { clock, random } = this.#options;
    return new MemoryRecord((record) =>
      inboxInMemory({
        id,
        now: () => clock.now(),
        sleep: (ms, signal) => clock.sleep(ms, signal),
        random,
        session: async () => this.#find(id).tip,
        journalMark: async () => record.tip.seq,
      }),
    );
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<Session> {
    const record = this.#find(id);
    return mode === 'read'
      ? new MemorySession(id, mode, record, this.#options.clock)
      : this.#openToWrite(id, record);
  }

  tail(id: SessionId): EventTail {
    const next = recordReader(undefined);
    let read = 0;
    return {
      next: async () => {
        const lines = this.#find(id).lines.slice(read);
        read += lines.length;
        return lines.map((line) => next(line.subarray(0, -1))).filter((stored) => stored !== undefined);
      },
    };
  }

  async resolve(text: string): Promise<SessionId> {
    return resolveId(text, () => [...this.#records.keys()]);
  }

  async *list(query: SessionQuery = {}): AsyncGenerator<SessionSummary> {
    yield* selectSessions(this.#all(), query);
  }

  async listCount(query: SessionQuery = {}): Promise<number> {
    return [...selectSessions(this.#all(), { ...query, limit: Infinity })].length;
  }

  async isWritten(id: SessionId): Promise<boolean> {
    return this.#records.get(checkSessionId(id))?.hasWriter === true;
  }

  async remove(id: SessionId, { unchangedSince }: RemoveOptions = {}): Promise<void> {
    const remove = async (): Promise<void> => {
      const { hasWriter, tip } = this.#find(id);
      if (hasWriter) throw locked(id);
      if (unchangedSince !== undefined && tip.updatedAt !== unchangedSince) throw changedSince(id);
      this.#records.delete(id);
    };
    await (unchangedSince === undefined ? remove() : withoutMail(this.#find(id).inbox, remove));
  }

  async *waiting(query: WaitingQuery = {}): AsyncGenerator<WaitingItem> {
    yield* selectWaiting(this.#open(), query);
  }

  async waitingCount(query: WaitingQuery = {}): Promise<number> {
    return [...selectWaiting(this.#open(), query)].length;
  }

  async post(id: SessionId, answer: Answer, options: PostOptions = {}): Promise<Posted> {
    const { inbox } = this.#find(id);
    return postAnswer(inbox, answer, options, () => this.open(id, 'write'));
  }

  async fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate> {
    return fateOfAnswer(this.#find(posted.session).inbox, posted, signal);
  }

  mail(id: SessionId): SessionMail {
    checkSessionId(id);
    return new MessageQueue((this.#records.get(id) ?? this.#newRecord(id)).inbox);
  }

  watch(signal: AbortSignal): AsyncIterable<StoreChange> {
    return watchSessions(() => this.#all(), this.#options.clock, signal);
  }

  #all(): readonly SessionSummary[] {
    const all = [...this.#records].map(([id, { tip, hasWriter, inbox }]) => ({
      ...summaryOf(id, tip, hasWriter),
      ...(!hasWriter && inbox.isWanted(tip) && { unread: true as const }),
    }));
    return all.sort(newestFirst);
  }

  #open(): readonly WaitingItem[] {
    return this.#all().flatMap(({ id: session, title, folder }) =>
      openQuestions(this.#find(session).tip.state).map((question) => ({
        session,
        title,
        ...(folder !== undefined && { folder }),
        ...question,
      })),
    );
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

/** Creates an in-memory session store. */
export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  return new MemoryStore(options);
}
