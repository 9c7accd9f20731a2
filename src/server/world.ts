import type { Clock, LiveEvent, RunState, SessionId, SessionStore, StoreChange } from '../core/index.js';
import type { Changes } from './changes.js';

/** The things that every part of the server works with. */
export interface ServerWorld {
  /** Makes a signal that ends waiting for others who write a session. */
  readonly patience: () => AbortSignal;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly looks: SharedLooks;
  readonly followers: SharedFollowers;
  /** Begins the addresses that are told to others: `https://hitl.example.org`. */
  readonly origin: string;
}

/** What every visitor asks of sessions, read once for all of them. */
export interface SharedLooks {
  /** Who began a session; nothing where no door proved who it was. */
  beganBy(id: SessionId): Promise<ProvedSubject | undefined>;
  /** The state of its session after a change. */
  after(change: StoreChange): Promise<RunState | undefined>;
}

/** The events of a session, read once for all who follow it. */
export interface SharedFollowers {
  /** @throws HitlError SESSION_NOT_FOUND */
  of(id: SessionId): Promise<{
    events(after: number, signal: AbortSignal): AsyncGenerator<LiveEvent, void, undefined>;
  }>;
}

/** Somebody as a door proved them. */
export interface ProvedSubject {
  readonly issuer: string;
  readonly subject: string;
}

/** The beginning of the id of a session that a request began: of a program, or of a client of AG-UI. */
export type RequestKind = 'api' | 'agui';

/** True for a session that a request began, by its id: no other has to be opened to find out who did. */
export function isBegunByRequest(id: SessionId): boolean {
  return /^(?:api|agui)-/u.test(id);
}
