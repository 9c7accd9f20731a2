import { errnoOf, HitlError, isHitlError, messageOf } from '../core/index.js';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'cannot be accessed (permission denied)',
  EPERM: 'cannot be changed (not permitted)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder, or is inside something that is not a folder',
  ELOOP: 'is a symbolic link that appeared in the meantime, or a loop of links',
  ENAMETOOLONG: 'has a name that is too long',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
  EMOVED: 'now leads to a different location than when it was checked',
  ECHANGED: 'changed in the meantime, so nothing was written',
  ENXIO: 'is not a regular file',
};

/** Converts a file error to one that can be shown to the model and the user. */
export function fileProblem(error: unknown, label: string): HitlError {
  if (isHitlError(error)) return error;
  const words = WORDS[errnoOf(error) ?? ''];
  const message = words === undefined ? `${label}: ${messageOf(error)}` : `${label} ${words}`;
  return new HitlError('TOOL_FAILED', message, { cause: error });
}
