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
  /** Default: a new, sortable id. */
  readonly id?: SessionId;
  /** Events stored together with the new session, or not at all. */
  readonly events?: readonly SessionEvent[];
}

/** The options of appending events. */
export interface AppendOptions {
  /**
   * Delays the flush until the next append that needs one, at most to the end of this event loop turn, so
   * that both share it. The events are written at once. Default: false.
   */
  readonly lazily?: boolean;
}

/** A log of events. */
export interface Journal {
  /** Resolves when the events are durable; in order, all or a prefix. */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
}

/** Answers left for the process that writes the session. */
export interface PostedAnswers {
  /** Returns the next answer to an open interrupt, oldest first. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<Answer>;
  /** Returns a waiting answer, if any. */
  take(): Promise<Answer | undefined>;
  /** Tells the poster why an answer was not used; it is not returned again. */
  refuse(answer: Answer, why: string): Promise<void>;
  /** Returns the receipt of a returned answer; a vote keeps it, to ignore repeats. */
  receiptOf?(answer: Answer): string | undefined;
  /** ISO 8601: when a returned answer was queued. */
  leftAt?(answer: Answer): string | undefined;
}

/** Called with events once they are durable; `state` includes the last of them. */
export type AppendListener = (events: readonly StoredEvent[], state: RunState) => void;

/** An open session. A writer excludes all others until it is disposed of. */
export interface Session extends Journal, AsyncDisposable {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  /** Sequence number of the last appended event, which may not be durable yet. */
  readonly version: number;
  /** The state after everything appended, without events that could not be made durable. */
  readonly state: RunState;
  /** ISO 8601: when the first record was written. */
  readonly createdAt: string;
  /** ISO 8601: when the last durable record was written. */
  readonly updatedAt: string;
  /** Notices about opening it: a cut torn tail, a changed mode. */
  readonly notices: readonly string[];
  /** Number of missing records; absent if there are none, or after the session continued. */
  readonly missing?: number | undefined;
  /**
   * Aborts when another process writes this session; stop everything that runs for it. The reason is a suspension
   * (`suspending`): started calls stay started, and no end is recorded.
   */
  readonly lost: AbortSignal;
  /**
   * Appends events. Messages that they deliver or drop (`inbox-delivered`, `inbox-dropped`) are removed from the
   * session's mail in the same step.
   * @throws HitlError ILLEGAL_EVENT before anything is written, SAVE_FAILED, VERSION_CONFLICT, SESSION_CLOSED
   */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
  /** Sets events that precede this writer's first append, in one batch with it. */
  beginWith(events: readonly SessionEvent[]): void;
  /**
   * Calls a listener with everything this writer appends, in journal order and before `append` resolves, including
   * `session-opened` and the events of `beginWith`.
   * @returns a function that stops it.
   */
  onAppended(listener: AppendListener): () => void;
  /** Every durable event, from the first. */
  events(): AsyncIterable<StoredEvent>;
  /** Answers left by others; each call starts with those still open. */
  answers(): PostedAnswers;
  /** Messages for this writer's run; the same object while the session is open. */
  inbox(): RunInbox;
  /** Writes the transcript for people and other programs; called whenever a run stops. Absent if there is none. */
  saveTranscript?(): Promise<void>;
}

/** An open interrupt of a session. Its id is unique within that session only. */
export interface WaitingItem {
  readonly session: SessionId;
  readonly title: string;
  /** Working folder in which the session started; absent if unknown. */
  readonly folder?: string;
  readonly interrupt: Interrupt;
  /** Current votes, if it needs several. */
  readonly votes?: readonly Vote[];
}
