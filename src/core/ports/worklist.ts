import type { ErrorRecord } from '../error-record.js';
import type { SessionId } from '../ids.js';
import type { Session } from './session.js';

/** A session that workers do not try any more: only a person who opens it changes that. */
export interface AbandonedSession {
  readonly session: SessionId;
  readonly title: string;
  /** The number of times that it was tried. */
  readonly attempts: number;
  /** The last failure; absent where its worker died each time. */
  readonly why?: string;
}

/** Which sessions a worker takes. */
export interface ClaimOptions {
  /** Says at each look which are left for others. Default: none. */
  readonly without?: () => ReadonlySet<SessionId>;
}

/**
 * Sessions in which something is to be done by whoever comes first: they were answered, their time is over, or who
 * wrote them is gone.
 */
export interface Worklist {
  /**
   * Waits for such a session, and opens it for writing; `undefined` when the signal aborts. One that cannot be opened
   * is postponed, and stops no other. @throws HitlError SESSION_UNREADABLE, SAVE_FAILED
   */
  claim(signal: AbortSignal, options?: ClaimOptions): Promise<Session | undefined>;
  /**
   * There is nothing more to do in a session that was claimed, before the moment `at` (milliseconds since 1970) or at
   * all. Refused (false) where something has arrived for it meanwhile: it is claimed again.
   */
  rest(session: Session, at?: number): Promise<boolean>;
  /** It failed: it is tried again later, and after some tries left to a person. */
  postpone(session: Session, error: ErrorRecord): Promise<void>;
  /** Sessions that were left to a person. */
  abandoned(): AsyncIterable<AbandonedSession>;
}
