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

/** The part of a session that does not depend on where its records are: who listens, its answers and its inbox. */
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

  /** The end of what was appended. */
  protected abstract get appended(): SessionTip;
  /** The end of what would survive a crash now. */
  protected abstract get durable(): SessionTip;
  /** The place where answers and messages to this session are left. */
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

  /** The events that go with the first append. */
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

/** The events that were appended, once they are there. */
interface Appended {
  readonly events: readonly StoredEvent[];
  readonly state: RunState;
}

/** The listeners of appended events: they hear all of them, in the order of the journal. */
class AppendListeners {
  readonly #listeners = new Set<AppendListener>();
  #last: Promise<void> = Promise.resolve();

  /** @returns ends it */
  add(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Resolves when events are durable and told of, behind those before them. Rejects where they could not be kept. */
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
