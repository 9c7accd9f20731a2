import type { SessionId } from '../data/ids.js';

/** The damage of a journal, named after the first invalid line. */
export type DamageKind = 'bad-line' | 'gap' | 'swap' | 'duplicate' | 'chain' | 'illegal-event';

/** The holder of a lock. For display only; the store owns the lock. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** ISO 8601. */
  readonly since: string;
  /** Start time of the process in the system's own count; distinguishes processes with the same pid. */
  readonly started?: string;
  /** Identifies one run of the machine; after a reboot every owner is gone. */
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
  /** `temporary`: left by a dead process. `backup`: cut off or set aside. */
  readonly role: 'session' | 'temporary' | 'backup' | 'other';
}

/** The facts of a stored session; plain JSON. Collecting them changes nothing. */
export interface SessionExamination {
  readonly id: SessionId;
  readonly path: string;
  readonly status: 'ok' | 'torn' | 'damaged' | 'newer' | 'missing' | 'unreadable';
  /** One sentence. */
  readonly meaning: string;
  /** Possible remedies, one sentence each. */
  readonly remedies: readonly string[];
  /** The first invalid location in the journal: line from 1, byte from 0. */
  readonly where?: { readonly line: number; readonly byte: number; readonly kind?: DamageKind };
  /** Number of valid records. */
  readonly records: number;
  /** Number of writers so far. */
  readonly epoch: number;
  /** The current or last lock holder; `isAlive` is `null` if unknown. */
  readonly owner?: LockOwner & { readonly isAlive: boolean | null };
  readonly snapshot: 'absent' | 'fits' | 'unfit';
  /** Entries that others can read; `.` is the folder. */
  readonly loose: readonly string[];
  readonly entries: readonly FolderEntry[];
}

/** The outcome of a repair, and the current state. */
export interface SessionRepair {
  /** One sentence each; empty if there was nothing to do. */
  readonly done: readonly string[];
  readonly after: SessionExamination;
}

/** A new session with the readable part of a damaged one. */
export interface Salvage {
  readonly id: SessionId;
  /** Number of copied records. */
  readonly records: number;
  /** Calls that may have run after the last valid record; each needs a person's answer. */
  readonly inDoubt: number;
}

/** A finding about the whole store. */
export interface StoreFinding {
  readonly what: 'sessions' | 'store' | 'leftovers';
  readonly status: 'ok' | 'warning' | 'failed';
  readonly found: string;
  readonly hint?: string;
}

/** A journal rewritten in the current format. */
export interface SessionRewrite {
  /** Number of rewritten records; 0 if the format is current. */
  readonly records: number;
  /** Path of the original file. */
  readonly backup?: string;
}

/** Examines and repairs sessions. */
export interface SessionDoctor {
  /** Returns every problem of a session; does not throw for them. */
  examine(id: SessionId): Promise<SessionExamination>;
  /**
   * Repairs what is possible without losing data.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  repair(id: SessionId): Promise<SessionRepair>;
  /**
   * Copies the valid records of a damaged session to a new one; the original is unchanged.
   * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED if no record is valid, SAVE_FAILED, USAGE
   */
  salvage(id: SessionId): Promise<Salvage>;
  /**
   * Rewrites an older journal in the current format; its approvals are asked again. Absent if the store has no files.
   * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SAVE_FAILED
   */
  rewrite?(id: SessionId): Promise<SessionRewrite>;
  /** Checks the whole store; removes and reports leftovers of dead processes. */
  survey(): Promise<readonly StoreFinding[]>;
}
