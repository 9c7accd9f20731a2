import type { Interrupt, JsonObject, JsonValue, OpenQuestion } from '../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../src/core/index.js';
import type { StoreContext } from '../folder/store-options.js';
import { SESSION_INDEX } from './session-index.js';
import type { LearnedFrom, StoreCache } from './store-cache.js';
import { withoutGone } from './store-cache.js';

/** The open questions of a session. */
export interface WaitingEntry extends LearnedFrom {
  readonly open: readonly OpenQuestion[];
}

/**
 * Whether a value is an interrupt. Checks only the properties that a list needs, because answers are checked
 * against the journal.
 */
export function isInterrupt(value: unknown): value is Interrupt {
  if (!isJsonObject(value)) return false;
  const { id, kind, source, allowed, digest, raisedAt, path: place } = value;
  if (!isJsonObject(source) || typeof source['type'] !== 'string') return false;
  if (source['type'] === 'tool' && typeof source['name'] !== 'string') return false;
  if (allowed === undefined || !isJsonArray(allowed)) return false;
  return [id, kind, digest, raisedAt, place].every((text) => typeof text === 'string');
}

function isQuestion(value: JsonValue): boolean {
  return isJsonObject(value) && isInterrupt(value['interrupt']);
}

function isEntry({ open }: JsonObject): boolean {
  return open !== undefined && isJsonArray(open) && open.every(isQuestion);
}

/**
 * Cache for open interrupts. It is a separate file because session lists, which are requested more often, do
 * not need it.
 */
export const WAITING_INDEX: StoreCache<WaitingEntry> = {
  file: 'waiting.json',
  format: 'hitl-waiting',
  isEntry: (value): value is WaitingEntry & JsonObject => isEntry(value),
};

/** Removes the entries of deleted sessions from all caches. Throws Node.js errors if entries may remain. */
export function forgetRemoved(context: StoreContext): void {
  withoutGone(context, SESSION_INDEX);
  withoutGone(context, WAITING_INDEX);
}
