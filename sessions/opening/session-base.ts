import type {
  AppendListener,
  PostedAnswers,
  RunInbox,
  RunState,
  SessionEvent,
  SessionId,
  StoredEvent,
} from '../../src/core/index.js';
import { AnswerInbox } from '../inbox/answer-inbox.js';
import { MessageInbox } from '../inbox/message-inbox.js';
import type { InboxPlace } from '../inbox/inbox-place.js';
import { checkWritable } from '../journal/open-journal.js';
import type { SessionTip } from '../journal/session-tip.js';

/** The storage-independent part of a session: listeners, answers and inbox. */
export abstract class SessionBase {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  protected readonly listeners = new AppendListeners();
  #first: readonly SessionEvent[] = [];
  #inbox: RunInbox | undefined;

  constructor(id: SessionId, mode: 'read' | 'write') {
    this.id = id;
    this.mode = mode;
  }

  /** Position after the last appended event. */
  protected abstract get appended(): SessionTip;
  /** Position after the last event that would survive a crash now. */
  protected abstract get durable(): SessionTip;
  /** Returns the session's inbox. */
  protected abstract place(): InboxPlace;

  get version(): number {
    return this.appended.seq;
  }

  get state(): RunState {
    return this.appended.state;
  }

  /** ISO 8601: when the first record was written. */
  get createdAt(): string {
    return this.durable.createdAt;
  }

  /** ISO 8601: when the last durable record was written. */
  get updatedAt(): string {
    return this.durable.updatedAt;
  }

  /** Events to write together with the first append. */
  protected get first(): readonly SessionEvent[] {
    return this.#first;
  }

  beginWith(events: readonly SessionEvent[]): void {
    checkWritable(this.id, this.mode);
    this.#first = events;
  }

  onAppended(listener: AppendListener): () => void {
    return this.listeners.add(listener);
  }

  answers(): PostedAnswers {
    return new AnswerInbox(this.place(), () => this.appended);
  }

  inbox(): RunInbox {
    return (this.#inbox ??= new MessageInbox(this.place(), () => this.appended));
  }
}

/** Appended events, once durable. */
interface Appended {
  readonly events: readonly StoredEvent[];
  readonly state: RunState;
}

/** Listeners of appended events: they get all of them, in journal order. */
class AppendListeners {
  readonly #listeners = new Set<AppendListener>();
  #last: Promise<void> = Promise.resolve();

  /** @returns a function that removes it */
  add(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Resolves when events are durable and reported, after earlier ones. Rejects if they could not be stored.
   */
  told(durable: Promise<void>, appended: () => Appended): Promise<void> {
    if (this.#listeners.size === 0) return durable;
    const before = this.#last;
    const told = durable.then(async () => {
      await before;
      const { events, state } = appended();
      for (const listener of this.#listeners) listener(events, state);
    });
    this.#last = told.catch(() => undefined); // whoever appended it is told
    return told;
  }
}
