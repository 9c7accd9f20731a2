import type { SessionId } from '../data/ids.js';

/** The kind of damage found at the first invalid line of a journal. */
export type DamageKind = 'bad-line' | 'gap' | 'swap' | 'duplicate' | 'chain' | 'illegal-event';

/** The process that holds a lock. For display only; the store manages the lock. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** Start time of the process, in the system's own units. Distinguishes processes that have the same pid. */
  readonly started?: string;
  /** Identifies the current boot of the machine. After a reboot, no earlier owner is running. */
  readonly boot?: string;
}

/** One entry in a session's folder. */
export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  /** Bytes. */
  readonly size: number;
  /** Octal: `600`. */
  readonly mode: string;
  /** User id. */
  readonly owner: number;
  /** `temporary`: left behind by a process that died. `backup`: data that was cut off or set aside. */
  readonly role: 'session' | 'temporary' | 'backup' | 'other';
}

/** Facts about a stored session, as plain JSON. The session is not changed when they are collected. */
export interface SessionExamination {
  readonly id: SessionId;
  readonly path: string;
  readonly status: 'ok' | 'torn' | 'damaged' | 'newer' | 'missing' | 'unreadable';
  /** One sentence. */
  readonly meaning: string;
  /** Ways to recover, one sentence each. */
  readonly remedies: readonly string[];
  /** Location of the first error in the journal. Lines are counted from 1, bytes from 0. */
  readonly where?: { readonly line: number; readonly byte: number; readonly kind?: DamageKind };
  /** Number of valid records. */
  readonly records: number;
  /** Number of writers so far. */
  readonly epoch: number;
  /** The process that holds the lock, or was the last to hold it. `isAlive` is `null` if unknown. */
  readonly owner?: LockOwner & { readonly isAlive: boolean | null };
  readonly snapshot: 'absent' | 'fits' | 'unfit';
  /** Files that other users can read; `.` stands for the folder itself. */
  readonly loose: readonly string[];
  readonly entries: readonly FolderEntry[];
}

/** The result of a repair, and the state of the session afterwards. */
export interface SessionRepair {
  /** The repairs that were made, one sentence each. Empty if none were needed. */
  readonly done: readonly string[];
  readonly after: SessionExamination;
}

/** A new session that contains the readable part of a damaged one. */
export interface Salvage {
  readonly id: SessionId;
  /** Number of copied records. */
  readonly records: number;
  /**
   * Number of calls that may have run after the last valid record. A person must decide about each of them.
   */
  readonly inDoubt: number;
}

/** A finding about the whole store. */
export interface StoreFinding {
  readonly what: 'sessions' | 'store' | 'leftovers';
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly hint?: string;
}

/** The result of rewriting a journal in the current format. */
export interface SessionRewrite {
  /** Number of rewritten records; 0 if the format is current. */
  readonly records: number;
  /** Path of the original file. */
  readonly backup?: string;
}

/** Examines and repairs sessions. */
export interface SessionDoctor {
  /** Examines a session. Reports every problem in the result instead of throwing errors. */
  examine(id: SessionId): Promise<SessionExamination>;
  /**
   * Repairs as much as possible without losing data.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  repair(id: SessionId): Promise<SessionRepair>;
  /**
   * Copies the valid records of a damaged session to a new one; the original is unchanged.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED if no record is valid, SAVE_FAILED, USAGE
   */
  salvage(id: SessionId): Promise<Salvage>;
  /**
   * Rewrites a journal from an older version in the current format. Its approvals must be given again. Absent
   * if the store has no files.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  rewrite?(id: SessionId): Promise<SessionRewrite>;
  /** Checks the whole store. Removes files left behind by dead processes, and reports them. */
  survey(): Promise<readonly StoreFinding[]>;
}
