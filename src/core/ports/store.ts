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

/** The status of a session, as lists show it. */
export type SessionStatus = 'done' | 'waiting' | 'interrupted' | 'failed' | 'running' | 'unreadable';

/** A session, as lists show it. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly status: SessionStatus;
  /** Open interrupts. */
  readonly waiting: number;
  /** User messages. */
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** ISO 8601: when something happens in it by itself; absent where nothing waits for a moment. */
  readonly until?: string;
  /** True where it waits, an answer or an event was left for its writer, and nobody writes it: whoever opens it goes on. */
  readonly unread?: true;
}

/** Which sessions to list. */
export interface SessionQuery {
  readonly status?: SessionStatus;
  /** Only those that are `unread`. */
  readonly unread?: true;
  /** Part of the id or of the title, in any case. */
  readonly search?: string;
  /** The last one of the page before. Sessions that change meanwhile move to the front, and so are not shown again. */
  readonly before?: Pick<SessionSummary, 'id' | 'updatedAt'>;
  readonly limit?: number;
}

/** Which open interrupts to list. */
export interface WaitingQuery {
  readonly kind?: InterruptKind;
  /** The name of the tool that asks. */
  readonly tool?: string;
  /** Only those of these sessions. */
  readonly sessions?: readonly SessionId[];
  /** The last one of the page before. */
  readonly after?: WaitingItem;
  readonly limit?: number;
}

/** The settings with which an answer is posted. */
export interface PostOptions {
  /** Names the answer: what is posted again under the same name counts once. Default: a new name. */
  readonly receipt?: string;
  /** Ends waiting for others who post at this moment. Default: never. */
  readonly signal?: AbortSignal;
  /**
   * The session, where the caller has it open for writing: several answers need it read once. Default: it is opened, and
   * closed again.
   */
  readonly held?: Session;
}

/**
 * An answer that was accepted: `recorded` in the journal already, `voted` there as one of several that are needed, or
 * `left` for whoever writes the session.
 */
export interface Posted {
  readonly type: 'recorded' | 'voted' | 'left';
  readonly session: SessionId;
  readonly interrupt: InterruptId;
  /** Names this answer. */
  readonly receipt: string;
}

/** The outcome of a posted answer. */
export type AnswerFate =
  | { readonly type: 'used'; readonly resolved: ResolvedInterrupt }
  /** It is one of the votes that stand; more are needed. */
  | { readonly type: 'voted'; readonly votes: readonly Vote[] }
  /** `resolved` is there where another answer was used. */
  | { readonly type: 'refused'; readonly why: string; readonly resolved?: ResolvedInterrupt };

/** The settings with which a session is removed. */
export interface RemoveOptions {
  /** Removes it only where it is as it was listed, its last change then, and no message waits. Default: as it is. */
  readonly unchangedSince?: string;
}

/** Something happened in a session. */
export interface StoreChange {
  readonly session: SessionId;
  readonly what: 'created' | 'raised' | 'answered' | 'ended' | 'changed' | 'removed';
}

/** Outputs of tools that are too large for a journal, and other files that belong to a session. */
export interface OutputStore {
  /** Keeps an output, durably. @returns its name. @throws HitlError SAVE_FAILED, SESSION_UNSAFE */
  keep(id: SessionId, text: string, sha256: string): Promise<string>;
  /** The SHA-256 of a kept output, as it is now; `undefined` where it cannot be read. */
  digest(id: SessionId, name: string): Promise<string | undefined>;
  /** The path of a file beside a session's own, for tools that keep something with it. */
  fileBeside(id: SessionId, name: string): string;
}

/** Open questions of one kind. */
export interface OpenOfKind {
  /** A kind of interrupt, of whatever version. */
  readonly kind: string;
  readonly questions: number;
  /** ISO 8601: when the oldest was asked. */
  readonly oldest: string;
}

/** How a store is, at one look: counts, of a database up to 10,000 of each, and at most a few of what they count. */
export interface StoreStatus {
  readonly sessions: Readonly<Partial<Record<SessionStatus, number>>>;
  readonly open: readonly OpenOfKind[];
  /** Sessions in which something is to be done now, and nobody does it; `oldest`: since when, ISO 8601. */
  readonly due: { readonly sessions: number; readonly oldest?: string };
  /** The first of those that fail again and again, in the order of their next tries. Absent where nobody counts. */
  readonly failing?: { readonly sessions: number; readonly first: readonly FailingSession[] };
  /** What nobody here can run. Absent, as `workers`, where workers say nothing of themselves. */
  readonly unserved?: readonly UnservedNeed[];
  readonly workers?: readonly LiveWorker[];
  /** The version of the tables, and the oldest whose programs read them; absent where there are none. */
  readonly schema?: { readonly version: number; readonly readsFrom: number };
  /** Milliseconds that the clock of this machine is ahead of the store's; absent where it has none of its own. */
  readonly clockAheadMs?: number;
}

/** A connection of a program to a database. */
export interface ProgramConnection {
  /** The number of its process at the server. */
  readonly connection: number;
  /** The machine of the program; absent where the server does not say. */
  readonly address?: string;
}

/** Says that no program of an older version uses a store: what they could not read is not written before. */
export interface StoreUpgrade {
  /**
   * Whether that was said, and the connections of programs that would go on all the same.
   * @throws HitlError SESSION_NEWER, STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  state(): Promise<{ readonly isDone: boolean; readonly older: readonly ProgramConnection[] }>;
  /** Says it: older programs are refused from now on, for good. @throws HitlError SESSION_NEWER, SAVE_FAILED */
  upgrade(): Promise<void>;
}

/**
 * Why a session is due: something was left for it (`left`), it failed or its worker died (`retry`), or its own records say
 * so (`run`): it was answered, or a time is over.
 */
export type DueKind = 'left' | 'retry' | 'run';

/** A number of things, counted up to 10,000: a tally reads no more of them. */
export interface Counted<Name extends string> {
  readonly name: Name;
  readonly count: number;
  /** The moment since when the oldest of them waits, milliseconds since 1970 by the store's clock; absent for none. */
  readonly oldest?: number;
}

/** How much a store holds, without what it is: numbers and moments, for those who watch it. */
export interface StoreTally {
  /** Open interrupts, by kind; `wait` is one for which nobody is asked: a time, or an event. */
  readonly open: readonly Counted<InterruptKind | 'wait'>[];
  /** Sessions, by the status of their records: whether a process has one now is `held`. */
  readonly sessions: readonly Counted<'done' | 'waiting' | 'interrupted' | 'failed'>[];
  /** Sessions that a process has now. */
  readonly held: number;
  /** Sessions that anybody could go on with now, and nobody has. */
  readonly due: readonly Counted<DueKind>[];
  /** Sessions that failed at least five times since they rested last. */
  readonly failing: number;
}

/** The key that signs what a store holds, where several machines have to have the same one. */
export interface StoreKey {
  /**
   * Makes sure that what this program records counts; the first program with a key notes it for all.
   * @throws HitlError BAD_CONFIG where the store has another key, or has one and this program none;
   * STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  check(): Promise<void>;
  /** The machine that noted the key; `undefined` where none is noted. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  notedBy(): Promise<string | undefined>;
  /** Notes the key of this program in the place of another one, which counts no more. @throws HitlError SAVE_FAILED */
  replace(): Promise<void>;
}

/** What a store says of the place where it is. */
export interface OriginSeen {
  /** Its rows were written in another place: nothing goes on before somebody says what it is. */
  readonly isCopy: boolean;
  /** When it was last said that it was restored from a backup: ISO 8601. */
  readonly restoredAt?: string;
  /** Its server was promoted since it was last said what it is: the numbers of the timelines then and now. */
  readonly promoted?: { readonly from: number; readonly to: number };
}

/** What is under way in a store, and would be asked about if it was restored from a backup. */
export interface UnderWay {
  /** Sessions in which something goes on by itself. */
  readonly sessions: number;
  /** Calls in them that were approved and have not begun. */
  readonly approved: number;
  /** Calls that had begun and have no end. */
  readonly begun: number;
  /** Sessions of them that run a workflow. */
  readonly workflows: number;
  /** False where there are more sessions than were looked at. */
  readonly isAll: boolean;
}

/** Tells whether a store is where its sessions were written: a backup that was restored lacks what came later. */
export interface StoreOrigin {
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  look(): Promise<OriginSeen>;
  /** @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  survey(): Promise<UnderWay>;
  /**
   * Says that the store was restored from a backup. Whoever has a session loses it, and each session is taken over when
   * it is opened next: what was approved in it does not count, and what may have begun is asked about.
   * @throws HitlError SAVE_FAILED
   */
  restored(): Promise<void>;
  /** Says that the store is the one that it was, in another place, and lacks nothing. @throws HitlError SAVE_FAILED */
  moved(): Promise<void>;
}

/** An output of a tool that is kept beside a journal, under its name. */
export interface KeptOutput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A session as the very bytes that it is kept as. Answers and messages that wait for it are no part of it. */
export interface SessionCopy {
  readonly id: SessionId;
  /** The lines of its journal, each without its newline. */
  readonly lines: readonly Uint8Array[];
  readonly outputs: readonly KeptOutput[];
}

/** Hands sessions over to another store, byte for byte, and takes them from one. */
export interface SessionCopying {
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  give(id: SessionId): Promise<SessionCopy>;
  /**
   * Keeps a session under its own id; all of it is there when it resolves, or none. Every line is checked as one that
   * is read. In a store with a key nothing that was approved in the copy counts: it is asked again.
   * @throws HitlError SESSION_EXISTS, SESSION_DAMAGED, SESSION_NEWER, SAVE_FAILED
   */
  take(copy: SessionCopy): Promise<void>;
}

/** The things that a store can do beside keeping sessions. */
export interface StoreCapabilities {
  /** Other processes see its sessions: they answer and send from there. */
  readonly shared: boolean;
  /** Its sessions outlive the process. */
  readonly durable: boolean;
  readonly doctor?: SessionDoctor;
  readonly outputs?: OutputStore;
  readonly copying?: SessionCopying;
  /** Absent where nobody notes what was sent: nothing is sent by itself then. */
  readonly deliveries?: Deliveries;
  /** Absent where workers look at the list. */
  readonly worklist?: Worklist;
  /** Absent where a copy is known as one by itself, or nothing is kept. */
  readonly origin?: StoreOrigin;
  /** Absent where one machine alone signs. */
  readonly key?: StoreKey;
  /** Absent where workers say nothing of themselves. */
  readonly workers?: Workers;
  /** How the store is. Absent where its list says it. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  readonly status?: () => Promise<StoreStatus>;
  /** Absent where every program reads what this one writes. */
  readonly upgrade?: StoreUpgrade;
  /**
   * Counts what it holds, each number by an index and up to 10,000. Absent: whoever wants to know reads the list.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  readonly tally?: () => Promise<StoreTally>;
  /** True where a key signs what is written: what is not signed with it has no vote. Default false. */
  readonly signs?: boolean;
}

/** Reads on in a session, without opening it again. */
export interface EventTail {
  /**
   * Gives the events that were recorded since the last look; those of the first look are all.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE
   */
  next(): Promise<readonly StoredEvent[]>;
}

/** The place where sessions are kept. Nothing about one is decided outside its journal. */
export interface SessionStore {
  readonly capabilities: StoreCapabilities;
  /** The clock that stamps what it keeps; whatever runs a session of it goes by the same. Absent: nobody says. */
  readonly clock?: Clock;
  /** @throws HitlError SESSION_ID, SESSION_EXISTS, SESSION_LOCKED where another is made under this id now, SAVE_FAILED */
  create(init: SessionInit): Promise<Session>;
  /** @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_DAMAGED, SESSION_NEWER, SESSION_UNREADABLE */
  open(id: SessionId, mode: 'read' | 'write'): Promise<Session>;
  /**
   * The session that an id, or the beginning of one, names.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_AMBIGUOUS, SESSION_ID, each with what to do
   */
  resolve(text: string): Promise<SessionId>;
  /** Reads on in a session: each look costs what was recorded since the last one. Default: it is opened for each look. */
  tail?(id: SessionId): EventTail;
  /** Newest first. */
  list(query?: SessionQuery): AsyncIterable<SessionSummary>;
  /** The number of sessions that `list` would give without a limit. Absent where they are not counted. */
  listCount?(query?: SessionQuery): Promise<number>;
  /** True where somebody writes a session now. */
  isWritten(id: SessionId): Promise<boolean>;
  /**
   * Removes a session with all that is kept with it: outputs, messages, answers.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED, VERSION_CONFLICT where it changed since
   */
  remove(id: SessionId, options?: RemoveOptions): Promise<void>;
  /** Open interrupts of all sessions, the oldest first. Reads a session only where it changed since the last time. */
  waiting(query?: WaitingQuery): AsyncIterable<WaitingItem>;
  waitingCount(query?: WaitingQuery): Promise<number>;
  /**
   * Takes an answer: into the journal at once where nobody writes the session, else it is left for who does.
   * @throws HitlError BAD_ANSWER, ALREADY_ANSWERED, INTERRUPT_NOT_FOUND, SESSION_NOT_FOUND, SAVE_FAILED
   */
  post(id: SessionId, answer: Answer, options?: PostOptions): Promise<Posted>;
  /** Waits until a posted answer was used or refused. Rejects with the signal's reason when it aborts. */
  fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate>;
  /** The messages of a session, for whoever sends them or looks at them. */
  mail(id: SessionId): SessionMail;
  /**
   * Tells what happens from now on, until the signal aborts. A hint: what comes and goes between two looks is not told.
   */
  watch(signal: AbortSignal): AsyncIterable<StoreChange>;
}
