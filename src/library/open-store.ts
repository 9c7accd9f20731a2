import { randomBytes } from 'node:crypto';

import { createFileStore, createMemoryStore } from '../../sessions/index.js';
import type { Clock, SessionStore } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { systemClock } from './system-clock.js';

/** `openStore` options. */
export interface OpenStoreOptions {
  /** Clock for stored timestamps and for running sessions. Default: the system clock. */
  readonly clock?: Clock;
}

/**
 * Opens the session store in a folder. The folder is created with the first session. Without a folder, opens
 * a store in memory. Several processes can share a folder: only one process at a time can write to a session,
 * but any process can post answers.
 */
export function openStore(folder?: string, { clock = systemClock }: OpenStoreOptions = {}): SessionStore {
  const world = { clock, random: (size: number) => randomBytes(size) };
  return folder === undefined ? createMemoryStore(world) : createFileStore({ ...world, root: folder });
}

/** The store and the clock that the caller passed, if any. */
interface Given {
  readonly store?: SessionStore | string;
  readonly clock?: Clock;
}

/**
 * Returns the store to use, along with its clock, because a run and its store must share a clock. Opens a
 * folder if necessary.
 * @throws HitlError BAD_CONFIG if two different clocks were passed
 */
export function storeOf({ store: given, clock }: Given): {
  readonly store: SessionStore;
  readonly clock: Clock;
} {
  const store = typeof given === 'object' ? given : openStore(given, clock && { clock });
  const own = store.clock;
  if (own !== undefined && clock !== undefined && own !== clock && own.basis !== clock)
    throw new HitlError('BAD_CONFIG', 'the store uses a different clock than `clock`', {
      hint: 'pass the same clock, `openStore(folder, { clock })`, or omit it',
    });
  return { store, clock: own ?? clock ?? systemClock };
}
