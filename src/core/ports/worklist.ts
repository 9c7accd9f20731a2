import type { ErrorRecord } from '../error-record.js';
import type { SessionId } from '../ids.js';
import type { Session } from './session.js';

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
