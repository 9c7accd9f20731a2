import { errnoOf, HitlError, isHitlError, messageOf } from '../core/index.js';

const WORDS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  EACCES: 'may not be accessed (permission denied)',
  EPERM: 'may not be changed (not permitted)',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder, or lies in something that is none',
  ELOOP: 'is a symbolic link that was put there in the meantime, or a circle of links',
  ENAMETOOLONG: 'is too long a name',
  ENOSPC: 'cannot be written: the disk is full',
  EROFS: 'cannot be written: the disk is read-only',
  EMOVED: 'leads elsewhere now than when it was checked',
  ECHANGED: 'changed at this moment, so nothing was written',
  ENXIO: 'is not a regular file',
};

/** Describes a file error for the model and the user. */
export function fileProblem(error: unknown, label: string): HitlError {
  if (isHitlError(error)) return error;
  const words = WORDS[errnoOf(error) ?? ''];
  const message = words === undefined ? `${label}: ${messageOf(error)}` : `${label} ${words}`;
  return new HitlError('TOOL_FAILED', message, { cause: error });
}
