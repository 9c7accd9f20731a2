import { readFile } from 'node:fs/promises';
import { HitlError, messageOf, present } from '../../src/core/index.js';

/**
 * Reads a file that the user named.
 * @param what Names the file in the error: `the schema /home/ann/reply.json`.
 * @throws HitlError USAGE if it is unreadable.
 */
export async function namedText(path: string, what: string, hint?: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const why = `cannot read ${what}: ${messageOf(cause)}`;
    throw new HitlError('USAGE', why, { ...present({ hint }), cause });
  }
}
