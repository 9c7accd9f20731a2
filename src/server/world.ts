import type { Clock, SessionStore } from '../core/index.js';
import type { Changes } from './changes.js';

/** The things that every part of the server works with. */
export interface ServerWorld {
  /** Makes a signal that ends waiting for others who write a session. */
  readonly patience: () => AbortSignal;
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly changes: Changes;
  /** Begins the addresses that are told to others: `https://hitl.example.org`. */
  readonly origin: string;
}
