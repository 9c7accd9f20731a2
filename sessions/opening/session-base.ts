import type {
  AppendListener,
  PostedAnswers,
  RunInbox,
  RunState,
  SessionEvent,
  SessionId,
} from '../../src/core/index.js';
import { AnswerInbox } from '../inbox/answer-inbox.js';
import { MessageInbox } from '../inbox/message-inbox.js';
import type { InboxPlace } from '../inbox/inbox-place.js';
import { AppendListeners } from '../journal/append-listeners.js';
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
