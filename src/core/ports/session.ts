import type { AgentFingerprint } from '../question/agent.js';
import type { SessionEvent, SessionParent, StoredEvent } from '../state/event.js';
import type { SessionId } from '../data/ids.js';
import type { RunInbox } from '../state/run-inbox.js';
import type { Actor, Answer } from '../data/resolution.js';
import type { RunState } from '../state/state.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Vote } from '../question/standing-votes.js';

/** The properties of a new session. */
export interface SessionInit {
  readonly agent: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  /** The requester. */
  readonly by?: Actor;
  /** Id of the session. Default: a new, sortable id. */
  readonly id?: SessionId;
  /** Events to store together with the new session, or not at all. */
  readonly events?: readonly SessionEvent[];
}

/** Options for appending events. */
export interface AppendOptions {
  /**
   * Whether to delay the flush so that it can be combined with the next one. The flush then happens at the
   * next append that needs one, or at the end of the current turn of the event loop at the latest. The events
   * themselves are written immediately. Default: false.
   */
  readonly lazily?: boolean;
}

/** A log of events. */
export interface Journal {
  /**
   * Appends events, and resolves when they are durable. Events become durable in order, so after a crash, all
   * of them or only the first ones may be stored.
   */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
}

/** Answers queued for the process that writes the session. */
export interface PostedAnswers {
  /**
   * Waits for the next answer to an open interrupt, oldest first. Rejects with the signal's reason if it
   * aborts.
   */
  next(signal: AbortSignal): Promise<Answer>;
  /** Returns a queued answer without waiting; `undefined` if there is none. */
  take(): Promise<Answer | undefined>;
  /** Tells the sender why an answer was not used. The answer is not returned again. */
  refuse(answer: Answer, why: string): Promise<void>;
  /**
   * Returns the receipt of an answer that was returned earlier. It is saved with a vote so that repeated
   * answers are ignored.
   */
  receiptOf?(answer: Answer): string | undefined;
  /** Returns the time at which an answer was queued, ISO 8601. */
  leftAt?(answer: Answer): string | undefined;
}

/** Called with events once they are durable. `state` includes them. */
export type AppendListener = (events: readonly StoredEvent[], state: RunState) => void;

/** An open session. While it is open for writing, no other writer can open it. */
export interface Session extends Journal, AsyncDisposable {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  /** Sequence number of the last appended event, which may not be durable yet. */
  readonly version: number;
  /** The state after all appended events, except those that could not be made durable. */
  readonly state: RunState;
  /** Time at which the first record was written, ISO 8601. */
  readonly createdAt: string;
  /** Time at which the last durable record was written, ISO 8601. */
  readonly updatedAt: string;
  /**
   * Notices from when the session was opened, for example that an incomplete record at the end was removed,
   * or that the mode changed.
   */
  readonly notices: readonly string[];
  /** Number of missing records. Absent if none are missing, or after the session has continued. */
  readonly missing?: number | undefined;
  /**
   * Aborts when another process writes this session. Stop everything that is running for the session. The
   * reason is a suspension (`suspending`): started calls stay started, and no end is recorded.
   */
  readonly lost: AbortSignal;
  /**
   * Appends events. If the events deliver or drop messages (`inbox-delivered`, `inbox-dropped`), these
   * messages are removed from the session's mail in the same step.
   * @throws HitlError ILLEGAL_EVENT before anything is written, SAVE_FAILED, VERSION_CONFLICT, SESSION_CLOSED
   */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
  /** Sets events to write before this writer's first append, in the same batch. */
  beginWith(events: readonly SessionEvent[]): void;
  /**
   * Calls a listener with all events that this writer appends, in journal order and before `append` resolves.
   * These include `session-opened` and the events from `beginWith`.
   * @returns a function that removes the listener.
   */
  onAppended(listener: AppendListener): () => void;
  /** Yields every durable event, starting with the first one. */
  events(): AsyncIterable<StoredEvent>;
  /**
   * Returns the answers queued by other processes. Each call starts again with all queued answers whose
   * questions are still open.
   */
  answers(): PostedAnswers;
  /**
   * Returns the messages for the run of this writer. Always returns the same object while the session is
   * open.
   */
  inbox(): RunInbox;
  /**
   * Writes the transcript for people and other programs. Called whenever a run stops. Absent if the store
   * does not write transcripts.
   */
  saveTranscript?(): Promise<void>;
}

/** An open interrupt in a session. Its id is unique only within that session. */
export interface WaitingItem {
  readonly session: SessionId;
  readonly title: string;
  /** Working folder in which the session was started; absent if unknown. */
  readonly folder?: string;
  readonly interrupt: Interrupt;
  /** Votes cast so far, if the interrupt needs several. */
  readonly votes?: readonly Vote[];
}
