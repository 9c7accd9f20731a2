import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, HitlError, messageOf } from '../core/index.js';

/** Size limit in bytes. No configuration file or handwritten module needs to be larger. */
const LARGEST = 4 << 20;

/**
 * Reads a file found in a folder, or a file that such a file refers to; returns `undefined` if it does not
 * exist. The path may point to anything, so devices, pipes and endless files are rejected.
 * @throws HitlError BAD_CONFIG if it is not a file, is too large, or is unreadable.
 */
export function foundBytes(path: string): Buffer | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe is not waited for
  } catch (cause) {
    if (errnoOf(cause) === 'ENOENT') return undefined;
    throw unreadable(path, messageOf(cause), cause);
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) throw unreadable(path, 'it is not a file');
    if (facts.size > LARGEST) throw unreadable(path, `it is larger than ${LARGEST >> 20} MB`);
    return firstBytes(fd, facts.size);
  } finally {
    closeSync(fd);
  }
}

/** Reads at most `size` bytes, which is the size that was checked. Bytes added since then are not read. */
function firstBytes(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function unreadable(path: string, why: string, cause?: unknown): HitlError {
  return new HitlError('BAD_CONFIG', `cannot read \`${path}\`: ${why}`, {
    hint: 'make it a readable file, or move it elsewhere',
    ...(cause !== undefined && { cause }),
  });
}
