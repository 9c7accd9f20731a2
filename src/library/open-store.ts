import { randomBytes } from 'node:crypto';

import { createFileStore, createMemoryStore } from '../../sessions/index.js';
import type { Clock, SessionStore } from '../core/index.js';
import { HitlError } from '../core/index.js';
import { systemClock } from './system-clock.js';

/** The settings of `openStore`. */
export interface OpenStoreOptions {
  /** The clock of stored timestamps and running sessions. Default: this machine's. */
  readonly clock?: Clock;
}

/**
 * Opens the sessions of a folder, created with the first session; without a folder, a store in memory. Several
 * processes may use one folder: each session has one writer, and any process can answer.
 */
export function openStore(folder?: string, { clock = systemClock }: OpenStoreOptions = {}): SessionStore {
  const world = { clock, random: (size: number) => randomBytes(size) };
  return folder === undefined ? createMemoryStore(world) : createFileStore({ ...world, root: folder });
}

/** The given store and clock, if any. */
interface Given {
  readonly store?: SessionStore | string;
  readonly clock?: Clock;
}

/**
 * Returns a store, or opens a folder, with its clock: a run and its store must share one.
 * @throws HitlError BAD_CONFIG for two different clocks
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
