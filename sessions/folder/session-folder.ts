import path from 'node:path';

import type { SessionId } from '../../src/core/index.js';

const JOURNAL = 'journal.jsonl';
const INBOX = 'inbox.jsonl';
const LOCK = 'lock';

/** The files of one session. */
export interface SessionFolder {
  readonly id: SessionId;
  readonly path: string;
  /** The truth. */
  readonly journal: string;
  /** Only ever created; its descriptor is locked. */
  readonly lock: string;
  /** Answers from other processes. */
  readonly inbox: string;
  readonly inboxLock: string;
  /** A cache of the fold. */
  readonly snapshot: string;
  /** Exists if the session was copied here: the copy's chain, until the session continues. */
  readonly copied: string;
  /** For people and other tools. */
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

/** The journal of a session; as `sessionFolder`, for long lists. */
export function journalOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${JOURNAL}`;
}

/** The inbox of a session; as `journalOf`. */
export function inboxOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${INBOX}`;
}

/** The lock of a session; as `journalOf`. */
export function lockOf(root: string, id: SessionId): string {
  return `${root}${path.sep}${id}${path.sep}${LOCK}`;
}
