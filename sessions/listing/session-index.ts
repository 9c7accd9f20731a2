import type { JsonObject, SessionStatus } from '../../src/core/index.js';
import type { LearnedFrom, StoreCache } from './store-cache.js';

/** The facts of a session that a list needs. */
export interface IndexEntry extends LearnedFrom {
  readonly title: string;
  /** As it rests; whether it is in use is not kept. */
  readonly status: Exclude<SessionStatus, 'running'>;
  readonly waiting: number;
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When something happens in it by itself. */
  readonly until?: string;
  /** The bytes of its inbox, where it waits: what is said of that holds as long as they stay. */
  readonly mail?: number;
  /** Something lies there that is wanted. */
  readonly isWanted?: boolean;
  /** The latest writer; it may still be there. */
  readonly pid: number;
  readonly host: string;
}

/** Members by their names, and no loop over them: a list of ten thousand sessions waits for it. */
function isEntry(value: JsonObject): value is IndexEntry & JsonObject {
  const { waiting, turns, pid, title, status, createdAt, updatedAt, host, until, mail } = value;
  if (typeof waiting !== 'number' || typeof turns !== 'number' || typeof pid !== 'number') return false;
  if (typeof title !== 'string' || typeof status !== 'string' || typeof host !== 'string') return false;
  if (typeof createdAt !== 'string' || typeof updatedAt !== 'string') return false;
  if (mail !== undefined && typeof mail !== 'number') return false;
  return until === undefined || typeof until === 'string';
}

/** The cache of what a list of sessions shows: no journal is read twice. */
export const SESSION_INDEX: StoreCache<IndexEntry> = { file: 'index.json', format: 'hitl-index', isEntry };
