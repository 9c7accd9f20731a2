import path from 'node:path';

import type { SessionId } from '../../src/core/index.js';

const JOURNAL = 'journal.jsonl';
const INBOX = 'inbox.jsonl';
const LOCK = 'lock';

/** A session's files. */
export interface SessionFolder {
  readonly id: SessionId;
  readonly path: string;
  /** The truth. */
  readonly journal: string;
  /** The file whose descriptor is locked. It is created once and never changed. */
  readonly lock: string;
  /** Answers from other processes. */
  readonly inbox: string;
  readonly inboxLock: string;
  /** A cache of the state computed from the journal. */
  readonly snapshot: string;
  /**
   * Exists if the session was copied from another store. Contains the chain of the copied journal until the
   * session continues.
   */
  readonly copied: string;
  /** A transcript for people and other tools. */
  readonly transcript: string;
}

/** Returns the paths of a session's files. */
export function sessionFolder(root: string, id: SessionId): SessionFolder {
  const folder = path.join(root, id);
  return {
    id,
    path: folder,
    journal: path.join(folder, JOURNAL),
    lock: path.join(folder, LOCK),
    inbox: path.join(folder, INBOX),
    inboxLock: path.join(folder, 'inbox.lock'),
    snapshot: path.join(folder, 'snapshot.json'),
    copied: path.join(folder, 'copied'),
    transcript: path.join(folder, 'transcript.json'),
  };
}

/** Returns the path of a session's journal. Faster than `sessionFolder`, for use in long lists. */
export function journalOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${JOURNAL}`;
}

/** Returns the path of a session's inbox. As fast as `journalOf`. */
export function inboxOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${INBOX}`;
}

/** Returns the path of a session's lock file. As fast as `journalOf`. */
export function lockOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${LOCK}`;
}
