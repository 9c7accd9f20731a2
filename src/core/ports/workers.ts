import type { SessionId } from '../ids.js';

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
