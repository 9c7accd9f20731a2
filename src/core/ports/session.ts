import type { AgentFingerprint } from '../question/agent.js';
import type { SessionEvent, SessionParent, StoredEvent } from '../state/event.js';
import type { SessionId } from '../data/ids.js';
import type { RunInbox } from '../state/run-inbox.js';
import type { Actor, Answer } from '../data/resolution.js';
import type { RunState } from '../state/state.js';
import type { Interrupt } from '../data/interrupt.js';
import type { Vote } from '../question/standing-votes.js';

/** The beginning of a session. */
export interface SessionInit {
  readonly agent: AgentFingerprint;
  readonly title?: string;
  readonly cwd?: string;
  readonly parent?: SessionParent;
  /** Whoever asks for what the session does. */
  readonly by?: Actor;
  /** Default: a new, sortable id. */
  readonly id?: SessionId;
  /** The events that happened in it already: durable in one step with its making, or not at all. */
  readonly events?: readonly SessionEvent[];
}

/** The settings with which events are appended. */
export interface AppendOptions {
  /**
   * The flush waits for the next append that wants one, and at most for the end of this turn of the event loop:
   * what becomes due together shares one. The events are written at once all the same. Default false.
   */
  readonly lazily?: boolean;
}

/** The place where events are kept. */
export interface Journal {
  /** Resolves when the events are durable; in order, all or a prefix of them. */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
}

/** Answers that were left for a session, for the process that writes it. */
export interface PostedAnswers {
  /** The next one to an open interrupt; what has been waiting comes first. Rejects with the signal's reason. */
  next(signal: AbortSignal): Promise<Answer>;
  /** One that is there already. */
  take(): Promise<Answer | undefined>;
  /** Says to whoever posted it why an answer was not used; it is not handed out again. */
  refuse(answer: Answer, why: string): Promise<void>;
  /** The name of an answer that was handed out: a vote keeps it, so that it is cast once. */
  receiptOf?(answer: Answer): string | undefined;
  /** ISO 8601: when an answer that was handed out was left. */
  leftAt?(answer: Answer): string | undefined;
}

/** Hears of events once they are durable: `state` is the fold up to and with the last of them. */
export type AppendListener = (events: readonly StoredEvent[], state: RunState) => void;

/** An open session. A writer keeps all others out until it is disposed of. */
export interface Session extends Journal, AsyncDisposable {
  readonly id: SessionId;
  readonly mode: 'read' | 'write';
  /** The sequence number of the last event that was appended; it may not be durable yet. */
  readonly version: number;
  /** The fold of everything appended; what could not be made durable is taken back. */
  readonly state: RunState;
  /** ISO 8601: when the first record was written. */
  readonly createdAt: string;
  /** ISO 8601: when the last durable record was written. */
  readonly updatedAt: string;
  /** The news of opening it: a torn tail that was cut, a moved mode. */
  readonly notices: readonly string[];
  /** How many records that were here are gone; absent where none are, and once somebody went on with what is left. */
  readonly missing?: number | undefined;
  /**
   * Aborts when somebody else writes this session: whoever runs something for it stops that. The reason is a suspension
   * (`suspending`): what ran stays started, and no end is written that nobody decided.
   */
  readonly lost: AbortSignal;
  /**
   * Appends events. Messages that they deliver or drop (`inbox-delivered`, `inbox-dropped`) are taken out of the
   * session's mail by the same step: the events name them.
   * @throws HitlError ILLEGAL_EVENT before anything is written, SAVE_FAILED, VERSION_CONFLICT, SESSION_CLOSED
   */
  append(events: readonly SessionEvent[], options?: AppendOptions): Promise<void>;
  /** Events for this writer's first append: they come before it, in one batch with it, and never without it. */
  beginWith(events: readonly SessionEvent[]): void;
  /**
   * Hears of all that this writer appends, in the order of the journal and before the `append` resolves; also of what
   * it did not ask for: `session-opened`, and what `beginWith` was given. @returns ends it.
   */
  onAppended(listener: AppendListener): () => void;
  /** Every durable event, from the first. */
  events(): AsyncIterable<StoredEvent>;
  /** Answers that others leave for this writer; each call begins with those that are still open. */
  answers(): PostedAnswers;
  /** Messages that others send to this writer's run; one object for as long as the session is open. */
  inbox(): RunInbox;
  /** Writes the transcript for people and other programs; called wherever a run stops. Absent where there is none. */
  saveTranscript?(): Promise<void>;
}

/** An open interrupt of some session. Its id is unique in its session only: outside it is named by both. */
export interface WaitingItem {
  readonly session: SessionId;
  readonly title: string;
  readonly interrupt: Interrupt;
  /** The votes that stand, where it needs more than one. */
  readonly votes?: readonly Vote[];
}
