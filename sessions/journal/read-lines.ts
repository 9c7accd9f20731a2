import { crc32 } from 'node:zlib';

import { sumText } from '../format/codec.js';
import type { FileSystem } from '../disk/file-system.js';

export interface Line {
  /** The line without its newline. The buffer is valid only until the next line is read. */
  readonly bytes: Buffer;
  /** Offset of the line's start in the file. */
  readonly offset: number;
  /** Offset of the next line: after the newline, or the end of the file. */
  readonly end: number;
  readonly hasNewline: boolean;
}

/**
 * Sizes of the first chunk and of the largest one, in bytes. Chunks start small and grow, because most files
 * are small.
 */
const FIRST_CHUNK = 1 << 14;
const LAST_CHUNK = 1 << 18;
const NEWLINE = 0x0a;

/** The part of a file to read. */
export interface ByteRange {
  readonly from: number;
  /** Exclusive. Default: the end of the file. */
  readonly to?: number;
}

/**
 * Yields the chunks of a file in order. Memory use does not depend on the file's size. A chunk is valid only
 * until the next one is read.
 */
export function* readChunks(fs: FileSystem, fd: number, range: ByteRange): Generator<Buffer> {
  let buffer = Buffer.allocUnsafe(FIRST_CHUNK);
  const to = range.to ?? Infinity;
  for (let position = range.from; position < to;) {
    const count = fs.read(fd, buffer.subarray(0, Math.min(buffer.length, to - position)), position);
    if (count === 0) return;
    yield buffer.subarray(0, count);
    position += count;
    if (buffer.length < LAST_CHUNK) buffer = Buffer.allocUnsafe(buffer.length * 4);
  }
}

/** Returns a file's bytes, or a range of them, as one buffer. */
export function readRange(fs: FileSystem, fd: number, range: ByteRange): Buffer {
  return Buffer.concat(Array.from(readChunks(fs, fd, range), (chunk) => Buffer.from(chunk)));
}

/** Returns the checksum of the first bytes of a file, as 8 hex digits. */
export function sumOfFile(fs: FileSystem, fd: number, length: number): string {
  let sum = 0;
  for (const chunk of readChunks(fs, fd, { from: 0, to: length })) sum = crc32(chunk, sum);
  return sumText(sum);
}

/**
 * Yields the lines of a file, including a last line without a newline. Takes time linear in the file's size.
 */
export function* readLines(fs: FileSystem, fd: number, range: ByteRange): Generator<Line> {
  let offset = range.from;
  let rest: Buffer[] = [];
  for (const chunk of readChunks(fs, fd, range)) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to !== -1; to = chunk.indexOf(NEWLINE, from)) {
      const piece = chunk.subarray(from, to);
      const bytes = rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
      rest = [];
      const end = offset + bytes.length + 1;
      yield { bytes, offset, end, hasNewline: true };
      offset = end;
      from = to + 1;
    }
    if (from < chunk.length) rest.push(Buffer.from(chunk.subarray(from)));
  }
  if (rest.length === 0) return;
  const bytes = Buffer.concat(rest);
  yield { bytes, offset, end: offset + bytes.length, hasNewline: false };
}
