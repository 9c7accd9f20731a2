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

/** The part of a session that does not depend on how it is stored: listeners, answers and inbox. */
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
  /** Position after the last event that would survive a crash at this time. */
  protected abstract get durable(): SessionTip;
  /** Returns the session's inbox. */
  protected abstract place(): InboxPlace;

  get version(): number {
    return this.appended.seq;
  }

  get state(): RunState {
    return this.appended.state;
  }

  /** ISO 8601 timestamp of the first record. */
  get createdAt(): string {
    return this.durable.createdAt;
  }

  /** ISO 8601 timestamp of the last durable record. */
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

/** Appended events, with the state after them. */
interface Appended {
  readonly events: readonly StoredEvent[];
  readonly state: RunState;
}

/** Listeners for appended events. They receive every event, in journal order. */
class AppendListeners {
  readonly #listeners = new Set<AppendListener>();
  #last: Promise<void> = Promise.resolve();

  /** @returns a function that removes the listener */
  add(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /**
   * Resolves when the events are durable and have been passed to all listeners, in order. Rejects if the
   * events could not be stored.
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
