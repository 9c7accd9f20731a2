import type { ResolvedInterrupt } from '../state/call.js';
import type { StoredEvent } from '../state/event.js';
import type { InterruptId, SessionId } from '../data/ids.js';
import type { InterruptKind } from '../data/interrupt.js';
import type { Answer } from '../data/resolution.js';
import type { Vote } from '../question/standing-votes.js';
import type { Clock } from './clock.js';
import type { Deliveries } from './deliveries.js';
import type { SessionDoctor } from './doctor.js';
import type { SessionMail } from './mail.js';
import type { Session, SessionInit, WaitingItem } from './session.js';
import type { LiveWorker, UnservedNeed, Workers, FailingSession, Worklist } from './workers.js';

/** A session's status in lists. */
export type SessionStatus = 'done' | 'waiting' | 'interrupted' | 'failed' | 'running' | 'unreadable';

/** A session as shown in lists. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly status: SessionStatus;
  /** Number of open interrupts. */
  readonly waiting: number;
  /** Number of user messages. */
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Time at which the next timer or deadline ends, ISO 8601; absent if there is none. */
  readonly until?: string;
  /**
   * Whether an answer or an awaited event is queued for the session while no process has it open. If so, the
   * session continues when it is opened.
   */
  readonly unread?: true;
  /**
   * Whether the process that has the session open is waiting for the user's next message. Set only if the
   * status is `running`.
   */
  readonly idle?: true;
  /** Working folder in which the session was started; absent if unknown. */
  readonly folder?: string;
}

/** The sessions to list. */
export interface SessionQuery {
  readonly status?: SessionStatus;
  /** Only `unread` sessions. */
  readonly unread?: true;
  /** A substring of the id or title to search for; case is ignored. */
  readonly search?: string;
  /**
   * The last item of the previous page. A session that changes in the meantime moves to the front, and is not
   * listed again.
   */
  readonly before?: Pick<SessionSummary, 'id' | 'updatedAt'>;
  readonly limit?: number;
}

/** The open interrupts to list. */
export interface WaitingQuery {
  readonly kind?: InterruptKind;
  /** Name of the tool that asks. */
  readonly tool?: string;
  /** Restricts the list to interrupts of these sessions. */
  readonly sessions?: readonly SessionId[];
  /** The previous page's last item. */
  readonly after?: WaitingItem;
  readonly limit?: number;
}

/** Options for posting an answer. */
export interface PostOptions {
  /** Idempotency key: a second answer with the same receipt is ignored. Default: a new key. */
  readonly receipt?: string;
  /** Aborts waiting for other processes that are posting answers. Default: never. */
  readonly signal?: AbortSignal;
  /**
   * The session, if the caller has it open for writing. Pass it to post several answers without reading the
   * session each time. Default: `post` opens and closes the session.
   */
  readonly held?: Session;
}

/**
 * An accepted answer. `recorded`: written to the journal. `voted`: written to the journal, but more votes are
 * needed. `left`: queued for the process that has the session open.
 */
export interface Posted {
  readonly type: 'recorded' | 'voted' | 'left';
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  /** The answer's receipt. */
  readonly receipt: string;
}

/** What happened to a posted answer. */
export type AnswerFate =
  | { readonly type: 'used'; readonly resolved: ResolvedInterrupt }
  /** The answer was recorded as one of several votes, and more are needed. */
  | { readonly type: 'voted'; readonly votes: readonly Vote[] }
  /** The answer was refused. `resolved` is set if another answer was used instead. */
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** Options for removing a session. */
export interface RemoveOptions {
  /**
   * Time of the last change to the session as listed. If set, `remove` does not remove a session that has
   * changed since then or has queued messages.
   */
  readonly unchangedSince?: string;
}

/** A change to a session. */
export interface StoreChange {
  readonly session: SessionId;
  readonly what: 'created' | 'raised' | 'answered' | 'ended' | 'changed' | 'removed';
}

/** Stores outputs that are too large for a journal, and other files of a session. */
export interface OutputStore {
  /** Stores an output durably. @returns its name. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
  keep(id: SessionId, text: string, sha256: string): Promise<string>;
  /** Returns a stored output's SHA-256; `undefined` if the output cannot be read. */
  digest(id: SessionId, name: string): Promise<string | undefined>;
  /** Returns the path at which a tool can store a file next to those of the session. */
  fileBeside(id: SessionId, name: string): string;
}

/** Stores copies of files that were made before a session's calls changed the files. */
export interface FileCopies {
  /**
   * Stores a copy durably. Copies with the same content are stored only once. Returns false if the session's
   * copies would take up too much space.
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  keep(id: SessionId, bytes: Uint8Array, sha256: string): Promise<boolean>;
  /** Returns the copy with this digest; `undefined` if it is missing, damaged or cannot be read. */
  read(id: SessionId, sha256: string): Promise<Uint8Array | undefined>;
}

/** Open questions of one kind. */
export interface OpenOfKind {
  /** The kind of interrupt, which may be one that only another version knows. */
  readonly kind: string;
  readonly questions: number;
  /** Time at which the oldest question was asked, ISO 8601. */
  readonly oldest: string;
}

/**
 * The state of a store at one point in time: counts (at most 10,000 each in a database) and a few examples.
 */
export interface StoreStatus {
  readonly sessions: Readonly<Partial<Record<SessionStatus, number>>>;
  readonly open: readonly OpenOfKind[];
  /**
   * Due sessions that no process has open. `oldest` is the time at which the longest-waiting session became
   * due, ISO 8601.
   */
  readonly due: { readonly sessions: number; readonly oldest?: string };
  /**
   * Sessions that fail repeatedly: their number, and the sessions with the earliest next attempts. Absent if
   * not counted.
   */
  readonly failing?: { readonly sessions: number; readonly first: readonly FailingSession[] };
  /**
   * Requirements of due sessions that no live worker meets. Absent, like `workers`, if workers do not report
   * to the store.
   */
  readonly unserved?: readonly UnservedNeed[];
  readonly workers?: readonly LiveWorker[];
  /** Version of the tables, and the oldest version that can read them. Absent if the store has no tables. */
  readonly schema?: { readonly version: number; readonly readsFrom: number };
  /**
   * Milliseconds by which this machine's clock is ahead of the store's clock; absent if the store does not
   * have its own.
   */
  readonly clockAheadMs?: number;
}

/** A program's database connection. */
export interface ProgramConnection {
  /** Process id of the connection on the server. */
  readonly connection: number;
  /** IP address of the program's machine; absent if unknown. */
  readonly address?: string;
}

/**
 * Confirms that all programs that use a store have been upgraded. Until then, the store writes only data that
 * older programs can read.
 */
export interface StoreUpgrade {
  /**
   * Returns whether the upgrade has been confirmed, along with any connections that older programs still hold
   * open. These connections would stay open even after the confirmation.
   * @throws HitlError SESSION_NEWER, STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  state(): Promise<{ readonly isDone: boolean; readonly older: readonly ProgramConnection[] }>;
  /**
   * Confirms the upgrade. From then on, the store refuses older programs permanently.
   * @throws HitlError SESSION_NEWER, SAVE_FAILED
   */
  upgrade(): Promise<void>;
}

/**
 * The reason that a session is due. `left`: an answer or message is queued. `retry`: it failed or its worker
 * died. `run`: it was answered, or a timer fired.
 */
export type DueKind = 'left' | 'retry' | 'run';

/** A named count, of at most 10,000. */
export interface Counted<Name extends string> {
  readonly name: Name;
  readonly count: number;
  /**
   * Time at which the oldest interrupt was raised or the oldest session became due, in milliseconds since
   * 1970 by the store's clock. Absent if there is none.
   */
  readonly oldest?: number;
}

/** Counts and ages of a store's contents, for monitoring. */
export interface StoreTally {
  /** Open interrupts by kind. `wait` stands for waits for a timer or an external event. */
  readonly open: readonly Counted<InterruptKind | 'wait'>[];
  /**
   * Sessions by the status in their records. Sessions that are open in a process are also counted in `held`.
   */
  readonly sessions: readonly Counted<'done' | 'waiting' | 'interrupted' | 'failed'>[];
  /** Sessions open in a process. */
  readonly held: number;
  /** Sessions that could continue now but that no process has open. */
  readonly due: readonly Counted<DueKind>[];
  /** Sessions that have failed at least five times since they were last idle. */
  readonly failing: number;
}

/** The key that seals a store's contents, shared by several machines. */
export interface StoreKey {
  /**
   * Checks that the store accepts records from this program. The first program that has a key registers it.
   * @throws HitlError BAD_CONFIG if the store has a different key, or has a key and this program has none;
   * STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  check(): Promise<void>;
  /**
   * Returns the name of the machine that registered the key; `undefined` if no key is registered.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  notedBy(): Promise<string | undefined>;
  /**
   * Replaces the registered key with this program's key. Records sealed with the old key become invalid.
   * @throws HitlError SAVE_FAILED
   */
  replace(): Promise<void>;
}

/** Whether a store has been copied, restored or promoted. */
export interface OriginSeen {
  /**
   * Whether the rows were written in another location. If so, no session continues until someone declares
   * that the store was restored or moved.
   */
  readonly isCopy: boolean;
  /** Time at which a restore from a backup was last confirmed, ISO 8601. */
  readonly restoredAt?: string;
  /** The timeline numbers before and after, if the store's server has been promoted since then. */
  readonly promoted?: { readonly from: number; readonly to: number };
}

/** Unfinished work in a store that people would be asked about after a restore. */
export interface UnderWay {
  /** Sessions that continue automatically. */
  readonly sessions: number;
  /** Approved calls that have not started. */
  readonly approved: number;
  /** Started calls without a result. */
  readonly begun: number;
  /** Number of surveyed sessions that run a workflow. */
  readonly workflows: number;
  /** Whether all sessions were checked. */
  readonly isAll: boolean;
}

/**
 * Detects whether a store was copied or restored from a backup. This matters because a backup lacks later
 * changes.
 */
export interface StoreOrigin {
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  look(): Promise<OriginSeen>;
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  survey(): Promise<UnderWay>;
  /**
   * Declares that the store was restored from a backup. All sessions are released. Each is adopted when it is
   * next opened: its approvals are then void, and people are asked about calls that may have run.
   * @throws HitlError SAVE_FAILED
   */
  restored(): Promise<void>;
  /**
   * Declares that the store was only moved, so that no data is missing.
   * @throws HitlError SAVE_FAILED
   */
  moved(): Promise<void>;
}

/** A tool output that is stored outside the journal, and its name. */
export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A session as stored bytes, without queued answers and messages. */
export interface SessionCopy {
  readonly id: SessionId;
  /** The journal's lines, without newlines. */
  readonly lines: readonly Uint8Array[];
  readonly outputs: readonly KeptOutput[];
}

/** Copies sessions between stores, byte for byte. */
export interface SessionCopying {
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  give(id: SessionId): Promise<SessionCopy>;
  /**
   * Stores a session under its own id, either completely or not at all. Every line is validated. If the store
   * has a key, the copy's approvals are void.
   * @throws HitlError SESSION_EXISTS, SESSION_DAMAGED, SESSION_NEWER, SAVE_FAILED
   */
  take(copy: SessionCopy): Promise<void>;
}

/** A store's optional capabilities. */
export interface StoreCapabilities {
  /**
   * Whether other processes can see the sessions in this store, answer their questions and send them
   * messages.
   */
  readonly shared: boolean;
  /** Whether its sessions outlive the process. */
  readonly durable: boolean;
  readonly doctor?: SessionDoctor;
  readonly outputs?: OutputStore;
  /** Copies of files; absent if files cannot be restored. */
  readonly files?: FileCopies;
  readonly copying?: SessionCopying;
  /** Notes about notifications. If absent, the store does not record notifications, and none are sent. */
  readonly deliveries?: Deliveries;
  /** List of due sessions; absent if workers use the session list instead. */
  readonly worklist?: Worklist;
  /**
   * Detection of copies; absent if copies are detected in another way, or if the store does not store
   * anything.
   */
  readonly origin?: StoreOrigin;
  /** The key that seals records; absent if only one machine seals records. */
  readonly key?: StoreKey;
  /** Reports from workers; absent if workers do not report to the store. */
  readonly workers?: Workers;
  /**
   * Returns the store's state. Absent if the session list is sufficient.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  readonly status?: () => Promise<StoreStatus>;
  /** Confirmation of upgrades; absent if every version can read the data that this program writes. */
  readonly upgrade?: StoreUpgrade;
  /**
   * Counts the contents of the store with index lookups, up to 10,000 of each kind. If absent, use the
   * session list instead.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  readonly tally?: () => Promise<StoreTally>;
  /**
   * Whether records are sealed with a key. If so, records without a valid seal are ignored. Default false.
   */
  readonly signs?: boolean;
}

/** Reads a session's new events without reopening it. */
export interface EventTail {
  /**
   * Returns the events added since the last call. The first call returns all events.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE
   */
  next(): Promise<readonly StoredEvent[]>;
}

/** A session store. The journal of a session is the only authoritative data about it. */
export interface SessionStore {
  readonly capabilities: StoreCapabilities;
  /**
   * The clock used for stored timestamps and by running sessions. If absent, the store's clock is unknown.
   */
  readonly clock?: Clock;
  /**
   * @throws HitlError SESSION_ID, SESSION_EXISTS, SESSION_LOCKED if another session is being created under this id,
   * SAVE_FAILED
   */
  create(init: SessionInit): Promise<Session>;
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  open(id: SessionId, mode: 'read' | 'write'): Promise<Session>;
  /**
   * Returns the id of the session with this id or unique prefix.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_ID, with a hint
   */
  resolve(text: string): Promise<SessionId>;
  /**
   * Follows a session. Each call reads only new events. If absent, the caller opens the session each time.
   */
  tail?(id: SessionId): EventTail;
  /** Lists sessions, newest first. */
  list(query?: SessionQuery): AsyncIterable<SessionSummary>;
  /**
   * Counts the sessions that `list` would return without a limit. Absent if the store cannot count sessions.
   */
  listCount?(query?: SessionQuery): Promise<number>;
  /** Whether a process has the session open for writing. */
  isWritten(id: SessionId): Promise<boolean>;
  /**
   * Removes a session, including its outputs, messages and answers.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED, VERSION_CONFLICT if it has changed
   */
  remove(id: SessionId, options?: RemoveOptions): Promise<void>;
  /**
   * Lists the open interrupts of all sessions, oldest first. Reads only sessions that have changed since the
   * last time.
   */
  waiting(query?: WaitingQuery): AsyncIterable<WaitingItem>;
  waitingCount(query?: WaitingQuery): Promise<number>;
  /**
   * Accepts an answer. Records it immediately if no process is writing the session, and queues it for the
   * writer otherwise.
   * @throws HitlError BAD_ANSWER, ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, SESSION_NOT_FOUND, SAVE_FAILED
   */
  post(id: SessionId, answer: Answer, options?: PostOptions): Promise<Posted>;
  /** Waits until a posted answer has been used or refused. Rejects with the signal's reason if it aborts. */
  fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate>;
  /** Returns the mail of a session, for sending and listing messages. */
  mail(id: SessionId): SessionMail;
  /**
   * Reports changes to sessions from now on, until the signal aborts. Use it only as a hint, because
   * short-lived changes may be missed.
   */
  watch(signal: AbortSignal): AsyncIterable<StoreChange>;
}
