import type { SessionId } from '../data/ids.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Session } from './session.js';

/** A requirement of sessions that a worker does not meet. */
export interface Lack {
  /** The requirement in the store's format: a digest and a description. */
  readonly needs: string;
  readonly why: string;
}

/** The current state of a worker, as reported by the worker. */
export interface WorkerNow {
  /** Name and version of the worker's program. */
  readonly program: string;
  /** Maximum number of sessions that the worker runs at once. */
  readonly slots: number;
  /** Number of sessions that the worker is running now. */
  readonly busy: number;
  readonly lacks: readonly Lack[];
}

/** A worker whose last report is no older than the lease time. */
export interface LiveWorker extends WorkerNow {
  /** The number that identifies the worker among all processes that write to the store. */
  readonly number: number;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** Number of leases. */
  readonly held: number;
}

/** A requirement of due sessions that no live worker meets. */
export interface UnservedNeed extends Lack {
  /** Number of sessions with this requirement; 1,001 means more than 1,000. */
  readonly sessions: number;
}

/** The workers that share a store, according to their own reports. For display only. */
export interface Workers {
  /** Reports a worker's state repeatedly until the signal aborts. Never fails. */
  announce(now: () => WorkerNow, signal: AbortSignal): Promise<void>;
  /**
   * Lists at most 200 live workers, oldest first.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  alive(): Promise<readonly LiveWorker[]>;
  /**
   * Returns up to 50 requirements that no live worker meets, or an empty list if there are no live workers.
   * @param session checks only that session
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  unserved(session?: SessionId): Promise<readonly UnservedNeed[]>;
}

/**
 * Wakes workers for due sessions: in this process, through a queue, or through a workflow engine. A
 * dispatcher stores no state, and may wake a session twice, late or needlessly. This is safe because the
 * worker reads the journal and the session's lock excludes a second writer.
 */
export interface Dispatcher {
  /**
   * Requests that a worker check a session, now or at `at` (milliseconds since 1970). Resolves when the
   * request is as durable as this dispatcher can make it.
   * @throws HitlError SAVE_FAILED
   */
  wake(id: SessionId, at?: number): Promise<void>;
  /**
   * Passes woken sessions to `handle`, each session to one worker at a time, until the signal aborts and all
   * running work has ended. If the handler fails or is interrupted, the session is passed again.
   */
  work(handle: (id: SessionId, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** A session that fails repeatedly and is retried at increasing intervals. */
export interface FailingSession {
  readonly session: SessionId;
  readonly title: string;
  /** Number of attempts since the session was last idle. */
  readonly attempts: number;
  /** Time of the next attempt, in milliseconds since 1970. */
  readonly again: number;
  /** The last failure; absent if its worker died each time. */
  readonly why?: string;
}

/** The requirements that a worker does not meet. */
export interface Lacking {
  /** Ids of sessions that the worker cannot run for reasons specific to the session. */
  readonly sessions: ReadonlySet<SessionId>;
  /** Requirements in the store's format. The worker cannot run any session that has one of them. */
  readonly needs: ReadonlySet<string>;
}

/** Options that determine which sessions a worker claims. */
export interface ClaimOptions {
  /** Called at each check. Returns the sessions to leave to other workers. Default: none. */
  readonly without?: () => ReadonlySet<SessionId>;
  /**
   * Called at each check. Returns the requirements that this worker does not meet. Sessions whose questions
   * have timed out are claimed anyway. Default: none.
   */
  readonly lacking?: () => Lacking;
  /** Called after each check. A claim that is waiting checks repeatedly. */
  readonly looked?: () => void;
}

/**
 * Distributes due sessions among workers; the first worker that claims a session gets it. A session is due if
 * it was answered, is past a deadline, or has lost its writer.
 */
export interface Worklist {
  /**
   * Waits for a due session and opens it for writing; returns `undefined` when the signal aborts. A session
   * that cannot be opened is postponed and does not block others.
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  claim(signal: AbortSignal, options?: ClaimOptions): Promise<Session | undefined>;
  /**
   * Reports that a claimed session has nothing to do until `at` (milliseconds since 1970), or until something
   * arrives if `at` is absent. Returns false if something has arrived in the meantime; the session is then
   * claimed again.
   */
  rest(session: Session, at?: number): Promise<boolean>;
  /** Reports that a session's run failed. The session is retried at increasing intervals. */
  postpone(session: Session, error: ErrorRecord): Promise<void>;
  /** Hands back a session unchanged because this worker cannot run it. This does not count as an attempt. */
  leave(session: Session): Promise<void>;
  /**
   * Lists the sessions that have failed at least five times since they were last idle, in the order of their
   * next attempts.
   */
  failing(): AsyncIterable<FailingSession>;
}
