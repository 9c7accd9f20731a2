import type { SessionId } from '../data/ids.js';

/** The damage of a journal: each name says what is wrong with the first line that does not fit. */
export type DamageKind = 'bad-line' | 'gap' | 'swap' | 'duplicate' | 'chain' | 'illegal-event';

/** The holder of a lock. Information for people; the lock itself is the store's. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** When the process started, in the system's own count; tells it from a later one with the same pid. */
  readonly started?: string;
  /** Names one run of the machine: after a reboot every owner is gone. */
  readonly boot?: string;
}

/** One entry of a session's folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Octal: `600`. */
  readonly mode: string;
  /** User id. */
  readonly owner: number;
  /** `temporary`: left behind by a process that died. `backup`: what was cut off or set aside. */
  readonly role: 'session' | 'temporary' | 'backup' | 'other';
}

/** The facts of a session as it is kept; plain JSON. Finding them out changes nothing. */
export interface SessionExamination {
  readonly id: SessionId;
  readonly path: string;
  readonly status: 'ok' | 'torn' | 'damaged' | 'newer' | 'missing' | 'unreadable';
  /** One sentence. */
  readonly meaning: string;
  /** The things that can be done, one sentence each. */
  readonly remedies: readonly string[];
  /** The first place of the journal that does not fit: the line counts from 1, the byte from 0. */
  readonly where?: { readonly line: number; readonly byte: number; readonly kind?: DamageKind };
  /** Good records. */
  readonly records: number;
  /** The number of writers that the session had. */
  readonly epoch: number;
  /**
   * The holder of the lock, or the last one that did not give it back; `isAlive` is `null` where that cannot be known.
   */
  readonly owner?: LockOwner & { readonly isAlive: boolean | null };
  readonly snapshot: 'absent' | 'fits' | 'unfit';
  /** Names of entries that others may read; `.` is the folder. */
  readonly loose: readonly string[];
  readonly entries: readonly FolderEntry[];
}

/** The outcome of a repair, and what is there now. */
export interface SessionRepair {
  /** One sentence each; empty where there was nothing to do. */
  readonly done: readonly string[];
  readonly after: SessionExamination;
}

/** A new session with what could be saved of another one. */
export interface Salvage {
  readonly id: SessionId;
  /** Good records that were copied. */
  readonly records: number;
  /** Calls that may have run behind the last good record; a person is asked about each. */
  readonly inDoubt: number;
}

/** One thing about the store as a whole. */
export interface StoreFinding {
  readonly what: 'sessions' | 'store' | 'leftovers';
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly hint?: string;
}

/** A journal that was written in the format of today. */
export interface SessionRewrite {
  /** The number of records that were rewritten; 0 where the journal is of today's format. */
  readonly records: number;
  /** The file as it was. */
  readonly backup?: string;
}

/** Looks after sessions that are not as they should be. */
export interface SessionDoctor {
  /** Whatever is wrong with a session is in the result and not thrown. */
  examine(id: SessionId): Promise<SessionExamination>;
  /**
   * Mends what can be mended without losing anything.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  repair(id: SessionId): Promise<SessionRepair>;
  /**
   * Copies the good records of a damaged session to a new one; the original stays as it is.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED where not one record is good, SAVE_FAILED, USAGE
   */
  salvage(id: SessionId): Promise<Salvage>;
  /**
   * Writes a journal of an older format in the one of today; what was approved in it is asked again. Absent where a store
   * keeps no files.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  rewrite?(id: SessionId): Promise<SessionRewrite>;
  /** Looks at the store as a whole; what processes that died left behind is removed, and named. */
  survey(): Promise<readonly StoreFinding[]>;
}
