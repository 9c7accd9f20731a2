import type { Clock, LiveEvent, RunState, SessionId, SessionStore, StoreChange } from '../core/index.js';
import type { Changes } from './changes.js';

/** Dependencies shared by all parts of the server. */
export interface ServerWorld {
  /** Creates the signal that limits how long to wait for other processes that are writing to a session. */
  readonly patience: () => AbortSignal;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly looks: SharedLooks;
  readonly followers: SharedFollowers;
  /** Base URL for links, for example `https://hitl.example.org`. */
  readonly origin: string;
}

/** Lookups shared by all visitors. */
export interface SharedLooks {
  /** Returns how a session started, or `undefined` if the session does not exist. */
  beginning(id: SessionId): Promise<Beginning | undefined>;
  /** Returns a session's state after a change. */
  after(change: StoreChange): Promise<RunState | undefined>;
}

/** The followers of sessions. Each session is read once for all its readers. */
export interface SharedFollowers {
  /** @throws HitlError SESSION_NOT_FOUND */
  of(id: SessionId): Promise<{
    events(after: number, signal: AbortSignal): AsyncGenerator<LiveEvent, void, undefined>;
  }>;
}

/** A proven identity. */
export interface ProvedSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** The data from a session's first event that lists and access checks use. */
export interface Beginning {
  /** The user who started the session. Absent if the user's identity was not proven. */
  readonly by?: ProvedSubject;
  /** The agent's model, as untrusted text. */
  readonly model?: string;
}

/**
 * Prefix of the ID of a session that a request started. It indicates whether the request came from a program
 * or an AG-UI client.
 */
export type RequestKind = 'api' | 'agui';

/**
 * Whether a session was started by a request. This is determined from the ID, so the session does not have to
 * be opened.
 */
export function isBegunByRequest(id: SessionId): boolean {
  return /^(?:api|agui|ask)-/u.test(id);
}
