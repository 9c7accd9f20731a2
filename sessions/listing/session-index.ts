import type { JsonObject, SessionStatus } from '../../src/core/index.js';
import type { LearnedFrom, StoreCache } from './store-cache.js';

/** The facts of a session that a list needs. */
export interface IndexEntry extends LearnedFrom {
  readonly title: string;
  /** Status when stopped; being in use is not stored. */
  readonly status: Exclude<SessionStatus, 'running'>;
  readonly waiting: number;
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Time of its next automatic event. */
  readonly until?: string;
  /** The working folder in which it began. */
  readonly folder?: string;
  /** It has no work to do by itself. */
  readonly isAtRest: boolean;
  /** The bytes of its inbox, where it waits: what is said of that holds as long as they stay. */
  readonly mail?: number;
  /** Whether the inbox requires continuing. */
  readonly isWanted?: boolean;
  /** The latest writer, which may still be running. */
  readonly pid: number;
  readonly host: string;
}

/** Checks properties by name, without a loop: a list of ten thousand sessions waits for it. */
function isEntry(value: JsonObject): value is IndexEntry & JsonObject {
  const { waiting, turns, pid, title, status, createdAt, updatedAt, host, until, mail, folder, isAtRest } =
    value;
  if (typeof waiting !== 'number' || typeof turns !== 'number' || typeof pid !== 'number') return false;
  if (typeof title !== 'string' || typeof status !== 'string' || typeof host !== 'string') return false;
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string') return false;
  if (mail !== undefined && typeof mail !== 'number') return false;
  if (typeof isAtRest !== 'boolean' || (folder !== undefined && typeof folder !== 'string')) return false;
  return until === undefined || typeof until === 'string';
}

/** Cache for session lists: no journal is read twice. */
export const SESSION_INDEX: StoreCache<IndexEntry> = { file: 'index.json', format: 'hitl-index', isEntry };
