import { constants, createReadStream, openSync, statSync } from 'node:fs';
import { Socket } from 'node:net';
import { HitlError, messageOf, present } from '../../src/core/index.js';

/** Options for reading a file that the user specified. */
export interface NamedTextOptions {
  readonly hint?: string;
  /** Maximum number of bytes; a larger file is rejected. Default: no limit. */
  readonly most?: number;
}

/**
 * Reads a file specified by the user.
 * @param what description of the file for the error: `the schema /home/ann/reply.json`.
 * @throws HitlError USAGE if it is unreadable or too large.
 */
export async function namedText(
  path: string,
  what: string,
  { hint, most = Number.POSITIVE_INFINITY }: NamedTextOptions = {},
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of opened(path, most)) {
      if (!Buffer.isBuffer(chunk)) continue;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > most) break;
    }
  } catch (cause) {
    const why = `cannot read ${what}: ${messageOf(cause)}`;
    throw new HitlError('USAGE', why, { ...present({ hint }), cause });
  }
  if (bytes <= most) return Buffer.concat(chunks).toString('utf8');
  throw new HitlError('USAGE', `${what} is too large (maximum ${most} bytes)`);
}

/**
 * Opens a file or pipe. Pipes are opened without blocking, because a process that blocks in `open` until the
 * pipe has a writer cannot be ended by a signal.
 */
function opened(path: string, most: number): AsyncIterable<unknown> {
  if (statSync(path, { throwIfNoEntry: false })?.isFIFO() !== true)
    return createReadStream(path, { end: most });
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return new Socket({ fd, readable: true, writable: false });
}
