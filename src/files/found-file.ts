import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, HitlError, messageOf } from '../core/index.js';

/** Larger than any configuration or handwritten module. */
const LARGEST = 4 << 20;

/**
 * Reads a file that was found, or named by one; `undefined` if there is none. Devices, pipes and endless
 * files are not read: it may be anything.
 * @throws HitlError BAD_CONFIG if it is not a file, too large, or unreadable.
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

/** Reads at most `size` bytes, the checked length. Bytes added in the meantime are not read. */
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
