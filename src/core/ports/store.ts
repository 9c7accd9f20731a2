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

/** The status of a session in lists. */
export type SessionStatus = 'done' | 'waiting' | 'interrupted' | 'failed' | 'running' | 'unreadable';

/** A session in lists. */
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
  /** ISO 8601: when a timer or deadline ends; absent if there is none. */
  readonly until?: string;
  /** Whether it has an unread answer or awaited event and no writer: it continues when opened. */
  readonly unread?: true;
  /** Whether the process that has it open waits for the user’s next message. Only with status `running`. */
  readonly idle?: true;
  /** Working folder in which the session started; absent if unknown. */
  readonly folder?: string;
}

/** The sessions to list. */
export interface SessionQuery {
  readonly status?: SessionStatus;
  /** Only `unread` sessions. */
  readonly unread?: true;
  /** Part of the id or title, ignoring case. */
  readonly search?: string;
  /** The last item of the previous page. Sessions that change move to the front and are not repeated. */
  readonly before?: Pick<SessionSummary, 'id' | 'updatedAt'>;
  readonly limit?: number;
}

/** The open interrupts to list. */
export interface WaitingQuery {
  readonly kind?: InterruptKind;
  /** Name of the asking tool. */
  readonly tool?: string;
  /** Only interrupts of these sessions. */
  readonly sessions?: readonly SessionId[];
  /** The last item of the previous page. */
  readonly after?: WaitingItem;
  readonly limit?: number;
}

/** The options of posting an answer. */
export interface PostOptions {
  /** Idempotency key: a second answer with the same receipt is ignored. Default: a new key. */
  readonly receipt?: string;
  /** Aborts waiting for other posters. Default: never. */
  readonly signal?: AbortSignal;
  /**
   * The session, if the caller has it open for writing, so that several answers read it once. Default: opened
   * and closed here.
   */
  readonly held?: Session;
}

/**
 * An accepted answer. `recorded`: in the journal. `voted`: in the journal, more approvals needed. `left`: queued for
 * the process that has the session.
 */
export interface Posted {
  readonly type: 'recorded' | 'voted' | 'left';
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  /** Receipt of the answer. */
  readonly receipt: string;
}

/** The outcome of a posted answer. */
export type AnswerFate =
  | { readonly type: 'used'; readonly resolved: ResolvedInterrupt }
  /** Recorded as one of several votes; more are needed. */
  | { readonly type: 'voted'; readonly votes: readonly Vote[] }
  /** `resolved` is set if another answer was used. */
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** The options of removing a session. */
export interface RemoveOptions {
  /**
   * Timestamp of the last change when the session was listed. If set, `remove` does nothing when the session has
   * changed since or has queued messages.
   */
  readonly unchangedSince?: string;
}

/** A change of a session. */
export interface StoreChange {
  readonly session: SessionId;
  readonly what: 'created' | 'raised' | 'answered' | 'ended' | 'changed' | 'removed';
}

/** Outputs too large for a journal, and other files of a session. */
export interface OutputStore {
  /** Stores an output durably. @returns its name. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
  keep(id: SessionId, text: string, sha256: string): Promise<string>;
  /** Returns the SHA-256 of a stored output; `undefined` if it cannot be read. */
  digest(id: SessionId, name: string): Promise<string | undefined>;
  /** Returns the path for a tool's file next to the session's. */
  fileBeside(id: SessionId, name: string): string;
}

/** Copies of files, made before a session's calls changed them. */
export interface FileCopies {
  /**
   * Stores a copy durably, once for each content. Returns false if the session's copies would become too large.
   * @throws HitlError SAVE_FAILED, SESSION_UNSAFE
   */
  keep(id: SessionId, bytes: Uint8Array, sha256: string): Promise<boolean>;
  /** Returns the copy with this digest; `undefined` if it is missing, damaged or cannot be read. */
  read(id: SessionId, sha256: string): Promise<Uint8Array | undefined>;
}

/** Open questions of one kind. */
export interface OpenOfKind {
  /** A kind of interrupt, possibly of another version. */
  readonly kind: string;
  readonly questions: number;
  /** ISO 8601: time of the oldest. */
  readonly oldest: string;
}

/** The state of a store at one time: counts (up to 10,000 of each in a database) and a few examples. */
export interface StoreStatus {
  readonly sessions: Readonly<Partial<Record<SessionStatus, number>>>;
  readonly open: readonly OpenOfKind[];
  /** Due sessions that no process has; `oldest`: since when, ISO 8601. */
  readonly due: { readonly sessions: number; readonly oldest?: string };
  /** The first repeatedly failing sessions, by next try. Absent if not counted. */
  readonly failing?: { readonly sessions: number; readonly first: readonly FailingSession[] };
  /** Needs that no worker here meets. Absent, like `workers`, if workers do not report. */
  readonly unserved?: readonly UnservedNeed[];
  readonly workers?: readonly LiveWorker[];
  /** Version of the tables, and the oldest version that can read them; absent without tables. */
  readonly schema?: { readonly version: number; readonly readsFrom: number };
  /** Milliseconds by which this machine's clock is ahead of the store's; absent without such a clock. */
  readonly clockAheadMs?: number;
}

/** A program's connection to a database. */
export interface ProgramConnection {
  /** Process number at the server. */
  readonly connection: number;
  /** IP address of the program's machine; absent if unknown. */
  readonly address?: string;
}

/** Confirms that no older program uses a store. Before that, nothing is written that older programs cannot read. */
export interface StoreUpgrade {
  /**
   * Returns whether it was confirmed, and connections of programs that would continue anyway.
   * @throws HitlError SESSION_NEWER, STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  state(): Promise<{ readonly isDone: boolean; readonly older: readonly ProgramConnection[] }>;
  /** Confirms it: older programs are refused permanently. @throws HitlError SESSION_NEWER, SAVE_FAILED */
  upgrade(): Promise<void>;
}

/**
 * Why a session is due: `left`: an answer or message is queued; `retry`: it failed or its worker died; `run`:
 * it was answered, or a timer fired.
 */
export type DueKind = 'left' | 'retry' | 'run';

/** A number, counted up to 10,000. */
export interface Counted<Name extends string> {
  readonly name: Name;
  readonly count: number;
  /** Due time of the oldest, milliseconds since 1970 by the store's clock; absent if there is none. */
  readonly oldest?: number;
}

/** Counts and ages of a store's contents, for monitoring. */
export interface StoreTally {
  /** Open interrupts by kind; `wait` is a timer or an event. */
  readonly open: readonly Counted<InterruptKind | 'wait'>[];
  /** Sessions by the status of their records; see `held` for sessions open in a process. */
  readonly sessions: readonly Counted<'done' | 'waiting' | 'interrupted' | 'failed'>[];
  /** Sessions open in a process. */
  readonly held: number;
  /** Sessions that could continue now and that no process has. */
  readonly due: readonly Counted<DueKind>[];
  /** Sessions that failed at least five times since they last rested. */
  readonly failing: number;
}

/** The key that seals a store's contents, shared by several machines. */
export interface StoreKey {
  /**
   * Verifies that this program's records are accepted; the first program with a key registers it.
   * @throws HitlError BAD_CONFIG if the store has another key, or a key that this program lacks;
   * STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  check(): Promise<void>;
  /**
   * Returns the machine that registered the key; `undefined` if there is none.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  notedBy(): Promise<string | undefined>;
  /**
   * Registers this program's key instead of the current one, which becomes void. @throws HitlError
   * SAVE_FAILED
   */
  replace(): Promise<void>;
}

/** A store's knowledge of its own location. */
export interface OriginSeen {
  /** Its rows were written elsewhere: nothing continues until someone declares whether it was restored or moved. */
  readonly isCopy: boolean;
  /** ISO 8601: when a restore from a backup was last confirmed. */
  readonly restoredAt?: string;
  /** Its server was promoted since: timeline numbers then and now. */
  readonly promoted?: { readonly from: number; readonly to: number };
}

/** Unfinished work in a store, which people would be asked about after a restore. */
export interface UnderWay {
  /** Sessions that continue automatically. */
  readonly sessions: number;
  /** Approved calls that have not started. */
  readonly approved: number;
  /** Started calls without a result. */
  readonly begun: number;
  /** Those sessions that run a workflow. */
  readonly workflows: number;
  /** False if not all sessions were checked. */
  readonly isAll: boolean;
}

/** Detects whether a store was copied or restored: a backup lacks later changes. */
export interface StoreOrigin {
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  look(): Promise<OriginSeen>;
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  survey(): Promise<UnderWay>;
  /**
   * Declares that the store was restored from a backup. All sessions are released, and each is adopted when next
   * opened: its approvals are void, and calls that may have run are asked about.
   * @throws HitlError SAVE_FAILED
   */
  restored(): Promise<void>;
  /** Declares that the store only moved and lacks nothing. @throws HitlError SAVE_FAILED */
  moved(): Promise<void>;
}

/** A tool output stored next to a journal, with its name. */
export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A session as stored bytes, without waiting answers and messages. */
export interface SessionCopy {
  readonly id: SessionId;
  /** The journal's lines without newlines. */
  readonly lines: readonly Uint8Array[];
  readonly outputs: readonly KeptOutput[];
}

/** Copies sessions between stores, byte for byte. */
export interface SessionCopying {
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  give(id: SessionId): Promise<SessionCopy>;
  /**
   * Stores a session under its own id, completely or not at all. Every line is validated. In a store with a key,
   * approvals of the copy are void.
   * @throws HitlError SESSION_EXISTS, SESSION_DAMAGED, SESSION_NEWER, SAVE_FAILED
   */
  take(copy: SessionCopy): Promise<void>;
}

/** Optional abilities of a store. */
export interface StoreCapabilities {
  /** Other processes can see its sessions, answer questions and send messages. */
  readonly shared: boolean;
  /** Its sessions outlive the process. */
  readonly durable: boolean;
  readonly doctor?: SessionDoctor;
  readonly outputs?: OutputStore;
  /** Absent if files cannot be restored. */
  readonly files?: FileCopies;
  readonly copying?: SessionCopying;
  /** Absent if notifications are not recorded, and so not sent. */
  readonly deliveries?: Deliveries;
  /** Absent if workers read the list instead. */
  readonly worklist?: Worklist;
  /** Absent if copies are detected in another way, or nothing is stored. */
  readonly origin?: StoreOrigin;
  /** Absent if only one machine seals. */
  readonly key?: StoreKey;
  /** Absent if workers do not report themselves. */
  readonly workers?: Workers;
  /**
   * Returns the store's state. Absent if its list suffices.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  readonly status?: () => Promise<StoreStatus>;
  /** Absent if every program can read what this one writes. */
  readonly upgrade?: StoreUpgrade;
  /**
   * Counts its contents by index, up to 10,000 each. Absent: read the list.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  readonly tally?: () => Promise<StoreTally>;
  /** Whether records are sealed with a key; others are ignored then. Default false. */
  readonly signs?: boolean;
}

/** Reads new events of a session without reopening it. */
export interface EventTail {
  /**
   * Returns the events since the last call; the first call returns all.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE
   */
  next(): Promise<readonly StoredEvent[]>;
}

/** A store of sessions. A session's journal alone is authoritative. */
export interface SessionStore {
  readonly capabilities: StoreCapabilities;
  /** The clock of stored timestamps; running sessions use the same. Absent: unknown. */
  readonly clock?: Clock;
  /**
   * @throws HitlError SESSION_ID, SESSION_EXISTS, SESSION_LOCKED if another session is being created under this id,
   * SAVE_FAILED
   */
  create(init: SessionInit): Promise<Session>;
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  open(id: SessionId, mode: 'read' | 'write'): Promise<Session>;
  /**
   * Returns the session with an id or unique prefix.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_ID, with a hint
   */
  resolve(text: string): Promise<SessionId>;
  /** Follows a session; each call costs only the new events. Default: it is opened for each call. */
  tail?(id: SessionId): EventTail;
  /** Lists sessions, newest first. */
  list(query?: SessionQuery): AsyncIterable<SessionSummary>;
  /** Counts the sessions that `list` would return without a limit. Absent if not counted. */
  listCount?(query?: SessionQuery): Promise<number>;
  /** Whether a process is writing the session. */
  isWritten(id: SessionId): Promise<boolean>;
  /**
   * Removes a session with its outputs, messages and answers.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED, VERSION_CONFLICT if it has changed
   */
  remove(id: SessionId, options?: RemoveOptions): Promise<void>;
  /** Lists open interrupts of all sessions, oldest first. Reads a session only if it has changed. */
  waiting(query?: WaitingQuery): AsyncIterable<WaitingItem>;
  waitingCount(query?: WaitingQuery): Promise<number>;
  /**
   * Accepts an answer: records it at once if no process is writing the session, otherwise queues it for the writer.
   * @throws HitlError BAD_ANSWER, ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, SESSION_NOT_FOUND, SAVE_FAILED
   */
  post(id: SessionId, answer: Answer, options?: PostOptions): Promise<Posted>;
  /** Waits until a posted answer has been used or refused. Rejects with the signal's reason. */
  fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate>;
  /** Returns the messages of a session. */
  mail(id: SessionId): SessionMail;
  /** Reports changes from now on, until the signal aborts. A hint: short-lived changes may be missed. */
  watch(signal: AbortSignal): AsyncIterable<StoreChange>;
}
