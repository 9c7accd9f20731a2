import type { Clock, LiveEvent, RunState, SessionId, SessionStore, StoreChange } from '../core/index.js';
import type { Changes } from './changes.js';

/** The dependencies that all parts of the server share. */
export interface ServerWorld {
  /** Creates the signal that ends the wait for other writers of a session. */
  readonly patience: () => AbortSignal;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly changes: Changes;
  readonly looks: SharedLooks;
  readonly followers: SharedFollowers;
  /** Base URL shown to others: `https://hitl.example.org`. */
  readonly origin: string;
}

/** Lookups shared by all visitors. */
export interface SharedLooks {
  /** Returns how a session began; nothing if there is none of this name. */
  beginning(id: SessionId): Promise<Beginning | undefined>;
  /** The state of its session after a change. */
  after(change: StoreChange): Promise<RunState | undefined>;
}

/** A session's events, read once for all followers. */
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

/** The first event of a session, as far as lists and doors tell of it. */
export interface Beginning {
  /** Who began it; absent where no door proved who it was. */
  readonly by?: ProvedSubject;
  /** The model of its agent. From outside. */
  readonly model?: string;
}

/** The beginning of the id of a session that a request began: of a program, or of a client of AG-UI. */
export type RequestKind = 'api' | 'agui';

/** Whether a request started a session, by its id, so that other sessions need not be opened. */
export function isBegunByRequest(id: SessionId): boolean {
  return /^(?:api|agui|ask)-/u.test(id);
}
