import type { JsonObject, SessionStatus } from '../../src/core/index.js';
import type { LearnedFrom, StoreCache } from './store-cache.js';

/** The information about a session that a list needs. */
export interface IndexEntry extends LearnedFrom {
  readonly title: string;
  /** The status of the session when it is stopped. Does not show whether the session is in use. */
  readonly status: Exclude<SessionStatus, 'running'>;
  readonly waiting: number;
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Time of the next event that occurs automatically. */
  readonly until?: string;
  /** The working folder in which the session started. */
  readonly folder?: string;
  /** Whether the session cannot continue without a person. */
  readonly isAtRest: boolean;
  /**
   * Size of a waiting session's inbox, in bytes. Stored information about the inbox remains valid while the
   * size is unchanged.
   */
  readonly mail?: number;
  /** Whether the inbox contains a record that requires the session to continue. */
  readonly isWanted?: boolean;
  /** The process that last wrote the session. It may still be running. */
  readonly pid: number;
  readonly host: string;
}

/** Checks each property by name rather than in a loop, so that a list of ten thousand sessions stays fast. */
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

/** Cache for session lists, so that a journal is not read again unless it has changed. */
export const SESSION_INDEX: StoreCache<IndexEntry> = { file: 'index.json', format: 'hitl-index', isEntry };
