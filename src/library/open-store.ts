import { randomBytes } from 'node:crypto';

import { createFileStore, createMemoryStore } from '../../sessions/index.js';
import type { SessionStore } from '../core/index.js';
import { systemClock } from './system-clock.js';

/**
 * The sessions of a folder, which is made with the first one; without a folder, a store in memory that ends with the
 * process. Several processes may use one folder at once: each session has one writer, and everybody may answer.
 */
export function openStore(folder?: string): SessionStore {
  const world = { clock: systemClock, random: (size: number) => randomBytes(size) };
  return folder === undefined ? createMemoryStore(world) : createFileStore({ ...world, root: folder });
}

/** A store, or the one of a folder. */
export function storeOf(given: SessionStore | string | undefined): SessionStore {
  return typeof given === 'object' ? given : openStore(given);
}
