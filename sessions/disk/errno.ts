import { errnoOf, HitlError, messageOf } from '../../src/core/index.js';

interface Words {
  readonly why: string;
  readonly hint: string;
}

const NO_FOLDER: Words = { why: 'not a folder', hint: 'specify a folder with --sessions' };

const WORDS: Readonly<Record<string, Words>> = {
  ENOSPC: {
    why: 'the disk is full',
    hint: 'free some space, then continue; confirmed data is not lost',
  },
  EDQUOT: { why: 'your disk quota is exceeded', hint: 'free some space, or request a larger quota' },
  EIO: { why: 'the disk reported an error', hint: 'copy the sessions to another disk, and check this one' },
  EROFS: {
    why: 'the file system is read-only',
    hint: 'mount it writable, or choose another folder with --sessions',
  },
  EFBIG: {
    why: 'the file would be larger than the system allows',
    hint: 'raise the limit (`ulimit -f`), or continue in a fork',
  },
  EMFILE: { why: 'this process has too many open files', hint: 'raise the limit (`ulimit -n`)' },
  ENFILE: { why: 'the system has too many open files', hint: 'close other programs, then try again' },
  EACCES: {
    why: 'you do not have permission to write there',
    hint: "check the folder's owner and mode, or use --sessions",
  },
  EPERM: {
    why: 'the system does not permit it',
    hint: "check the folder's owner and attributes, or use --sessions",
  },
  ENOTDIR: NO_FOLDER,
  ENOENT: { why: 'the folder is gone', hint: 'the session may have been deleted' },
};

const DENIED: Words = { why: 'you do not have permission to read it', hint: 'check its owner and mode' };

const READING: Readonly<Record<string, Words>> = { EACCES: DENIED, EPERM: DENIED, ENOTDIR: NO_FOLDER };

/**
 * Creates a SAVE_FAILED error for a failure to write `what`, with a message that depends on the errno (G6).
 */
export function saveFailed(what: string, thrown: unknown): HitlError {
  const errno = errnoOf(thrown);
  const words = WORDS[errno ?? ''] ?? {
    why: messageOf(thrown),
    hint: 'the write was not confirmed; try again',
  };
  return new HitlError('SAVE_FAILED', `could not save ${what}: ${words.why}`, {
    hint: words.hint,
    detail: { errno: errno ?? null },
    cause: thrown,
  });
}

/** Creates a SESSION_UNREADABLE error for a failure to read `what`. */
export function unreadable(what: string, thrown: unknown): HitlError {
  const errno = errnoOf(thrown);
  const { why, hint } = READING[errno ?? ''] ?? {
    why: messageOf(thrown),
    hint: 'check the disk, then try again',
  };
  return new HitlError('SESSION_UNREADABLE', `could not read ${what}: ${why}`, {
    hint,
    detail: { errno: errno ?? null },
    cause: thrown,
  });
}

/** Converts a system error with `saveFailed`; returns other errors unchanged. */
export function asSaveFailed(what: string, thrown: unknown): unknown {
  return errnoOf(thrown) === undefined ? thrown : saveFailed(what, thrown);
}

/** Converts a system error with `unreadable`; returns other errors unchanged. */
export function asUnreadable(what: string, thrown: unknown): unknown {
  return errnoOf(thrown) === undefined ? thrown : unreadable(what, thrown);
}
