import type { SessionId } from '../data/ids.js';
import type { ErrorRecord } from '../data/error-record.js';
import type { Session } from './session.js';

/** Something that sessions need and a worker has not. */
export interface Lack {
  /** As its store writes it beside each session: a digest, and words for people. */
  readonly needs: string;
  readonly why: string;
}

/** A worker as it says of itself. */
export interface WorkerNow {
  /** The name and version of its program. */
  readonly program: string;
  /** Sessions at the same time. */
  readonly slots: number;
  /** Sessions that it goes on with now. */
  readonly busy: number;
  readonly lacks: readonly Lack[];
}

/** A worker that was heard of within the time of a lease. */
export interface LiveWorker extends WorkerNow {
  /** Its number among the processes that write sessions. */
  readonly number: number;
  readonly host: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly seenAt: string;
  /** Sessions whose lease it has. */
  readonly held: number;
}

/** Something that sessions need in which something is to be done now, and that every live worker lacks. */
export interface UnservedNeed extends Lack {
  /** Such sessions; 1,001 where there are more than 1,000. */
  readonly sessions: number;
}

/** Workers that share a store, as they say of themselves. What they say decides nothing. */
export interface Workers {
  /** Says again and again what a worker is and has, until the signal aborts; fails with nothing. */
  announce(now: () => WorkerNow, signal: AbortSignal): Promise<void>;
  /** The oldest first, at most 200. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE */
  alive(): Promise<readonly LiveWorker[]>;
  /**
   * What nobody here can run, at most 50 needs; none where no worker lives.
   * @param session looks at that one alone
   * @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  unserved(session?: SessionId): Promise<readonly UnservedNeed[]>;
}

/**
 * Calls workers for sessions in which something is to be done: in this process, from a queue, by an engine. It holds no truth,
 * and may call twice, late, or where nothing is to be done: whoever is called looks into the journal, and the hold of the
 * session keeps two writers apart.
 */
export interface Dispatcher {
  /**
   * Has a session looked at, now or at the moment `at` (milliseconds since 1970). Done once that is kept as well as this
   * dispatcher keeps anything. @throws HitlError SAVE_FAILED
   */
  wake(id: SessionId, at?: number): Promise<void>;
  /**
   * Hands over sessions that were woken, each to one worker at a time, until the signal aborts and what runs has ended. A
   * session whose handling failed, or was cut short, is handed over again.
   */
  work(handle: (id: SessionId, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void>;
}

/** A session that fails again and again: it is tried again, each time later. */
export interface FailingSession {
  readonly session: SessionId;
  readonly title: string;
  /** The number of times that it was tried since it rested last. */
  readonly attempts: number;
  /** The time of the next try, milliseconds since 1970. */
  readonly again: number;
  /** The last failure; absent where its worker died each time. */
  readonly why?: string;
}

/** What a worker cannot run. */
export interface Lacking {
  /** Sessions that need something of their own. */
  readonly sessions: ReadonlySet<SessionId>;
  /** What sessions need, as their store writes it beside each. */
  readonly needs: ReadonlySet<string>;
}

/** Which sessions a worker takes. */
export interface ClaimOptions {
  /** Says at each look which are left for others. Default: none. */
  readonly without?: () => ReadonlySet<SessionId>;
  /** Says at each look what is not here: what is due by time alone is claimed all the same. Default: nothing lacks. */
  readonly lacking?: () => Lacking;
  /** Hears of each look that came to an end: a claim that waits looks again and again. */
  readonly looked?: () => void;
}

/**
 * Sessions in which something is to be done by whoever comes first: they were answered, their time is over, or who
 * wrote them is gone.
 */
export interface Worklist {
  /**
   * Waits for such a session, and opens it for writing; `undefined` when the signal aborts. One that cannot be opened
   * is postponed, and stops no other. @throws HitlError STORE_UNAVAILABLE, SESSION_UNREADABLE, SAVE_FAILED
   */
  claim(signal: AbortSignal, options?: ClaimOptions): Promise<Session | undefined>;
  /**
   * There is nothing more to do in a session that was claimed, before the moment `at` (milliseconds since 1970) or at
   * all. Refused (false) where something has arrived for it meanwhile: it is claimed again.
   */
  rest(session: Session, at?: number): Promise<boolean>;
  /** It failed: it is tried again later, each time after a longer pause. */
  postpone(session: Session, error: ErrorRecord): Promise<void>;
  /** Nothing here can go on with it: it is as it was before it was claimed, and nothing was tried. */
  leave(session: Session): Promise<void>;
  /** Sessions that failed at least five times since they rested last, in the order of their next tries. */
  failing(): AsyncIterable<FailingSession>;
}
