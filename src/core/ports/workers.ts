import type { SessionId } from '../data/ids.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Session } from './session.js';

/** Something that sessions need and a worker lacks. */
export interface Lack {
  /** In the store's format: a digest, and a description. */
  readonly needs: string;
  readonly why: string;
}

/** A worker's report about itself. */
export interface WorkerNow {
  /** The name and version of its program. */
  readonly program: string;
  /** Maximum number of sessions that it runs at once. */
  readonly slots: number;
  /** Number of sessions that it runs now. */
  readonly busy: number;
  readonly lacks: readonly Lack[];
}

/** A worker that reported within the time of a lease. */
export interface LiveWorker extends WorkerNow {
  /** Its number among the writing processes. */
  readonly number: number;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** Number of leases. */
  readonly held: number;
}

/** A need of due sessions that no live worker meets. */
export interface UnservedNeed extends Lack {
  /** Number of such sessions; 1,001 for more than 1,000. */
  readonly sessions: number;
}

/** Workers that share a store, as they report themselves. For display only. */
export interface Workers {
  /** Reports a worker repeatedly until the signal aborts; never fails. */
  announce(now: () => WorkerNow, signal: AbortSignal): Promise<void>;
  /** Lists live workers, oldest first, at most 200. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  alive(): Promise<readonly LiveWorker[]>;
  /**
   * Returns needs that no worker meets, at most 50; none without live workers.
   * @param session checks only that session
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  unserved(session?: SessionId): Promise<readonly UnservedNeed[]>;
}

/**
 * Wakes workers for due sessions: in this process, from a queue, by an engine. It stores nothing and may call
 * twice, late or needlessly: the worker reads the journal, and the session's lock excludes a second writer.
 */
export interface Dispatcher {
  /**
   * Requests a check of a session, now or at `at` (milliseconds since 1970). Resolves when the request is as
   * durable as this dispatcher makes it.
   * @throws HitlError SAVE_FAILED
   */
  wake(id: SessionId, at?: number): Promise<void>;
  /**
   * Hands woken sessions over, each to one worker at a time, until the signal aborts and running work has ended. A
   * session whose handling failed or was interrupted is handed over again.
   */
  work(handle: (id: SessionId, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** A repeatedly failing session, retried after growing pauses. */
export interface FailingSession {
  readonly session: SessionId;
  readonly title: string;
  /** Number of tries since it last rested. */
  readonly attempts: number;
  /** Time of the next try, milliseconds since 1970. */
  readonly again: number;
  /** The last failure; absent if its worker died each time. */
  readonly why?: string;
}

/** The needs that a worker does not meet. */
export interface Lacking {
  /** Sessions with needs of their own. */
  readonly sessions: ReadonlySet<SessionId>;
  /** Needs of sessions, in the store's format. */
  readonly needs: ReadonlySet<string>;
}

/** The sessions that a worker claims. */
export interface ClaimOptions {
  /** Returns, at each check, sessions to leave to others. Default: none. */
  readonly without?: () => ReadonlySet<SessionId>;
  /** Returns, at each check, what is missing here; timeouts are still claimed. Default: nothing. */
  readonly lacking?: () => Lacking;
  /** Called after each check; a waiting claim checks repeatedly. */
  readonly looked?: () => void;
}

/** Due sessions, each for the first worker that claims it: answered, past a deadline, or without a live writer. */
export interface Worklist {
  /**
   * Waits for a due session and opens it for writing; `undefined` when the signal aborts. A session that cannot be
   * opened is postponed and does not block others.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  claim(signal: AbortSignal, options?: ClaimOptions): Promise<Session | undefined>;
  /**
   * Reports that a claimed session has nothing to do before `at` (milliseconds since 1970), or at all.
   * Returns false if something has arrived: it is claimed again.
   */
  rest(session: Session, at?: number): Promise<boolean>;
  /** Reports a failure: the session is retried after growing pauses. */
  postpone(session: Session, error: ErrorRecord): Promise<void>;
  /** Returns a session unchanged, because nothing here can run it; does not count as a try. */
  leave(session: Session): Promise<void>;
  /** Lists sessions that failed at least five times since they last rested, by next try. */
  failing(): AsyncIterable<FailingSession>;
}
