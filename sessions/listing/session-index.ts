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
  /** The latest writer; it may still be there. */
  readonly pid: number;
  readonly host: string;
}

const NUMBERS = ['waiting', 'turns', 'pid'] as const;
const TEXTS = ['title', 'status', 'createdAt', 'updatedAt', 'host'] as const;

function isEntry(value: JsonObject): value is IndexEntry & JsonObject {
  for (const name of NUMBERS) if (typeof value[name] !== 'number') return false;
  for (const name of TEXTS) if (typeof value[name] !== 'string') return false;
  return value['until'] === undefined || typeof value['until'] === 'string';
}

/** The cache of what a list of sessions shows: no journal is read twice. */
export const SESSION_INDEX: StoreCache<IndexEntry> = { file: 'index.json', format: 'hitl-index', isEntry };
