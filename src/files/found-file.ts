import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, HitlError, messageOf } from '../core/index.js';

/** No configuration, and no module that people write, is larger. */
const LARGEST = 4 << 20;

/**
 * The bytes of a file that was found, or that something found names; `undefined` where there is none. A device, a pipe or
 * a file without an end is not read: what was found may be anything.
 * @throws HitlError BAD_CONFIG where it is no file, is too large, or cannot be read.
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

/** Reads no more than `size` bytes, which is what was looked at. Bytes that are added meanwhile are not read. */
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
    hint: 'make it a file that can be read, or move it away',
    ...(cause !== undefined && { cause }),
  });
}
