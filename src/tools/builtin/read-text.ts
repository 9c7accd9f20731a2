import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { open, realpath } from 'node:fs/promises';

import { HitlError } from '../../core/index.js';

import { fileProblem } from './file-problem.js';
import type { Place } from './place.js';

/** A file's text, or the reason why it has none. */
export type FileText =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly bytes: number;
      readonly cut: boolean;
      readonly exact: boolean;
    }
  | { readonly type: 'binary'; readonly bytes: number };

/** How much of a file tells whether it is text, in bytes. */
const SNIFFED = 8192;

/**
 * Reads at most `maxBytes` of a regular file. `exact` tells that writing the text back would give the same bytes;
 * `cut` that the file is longer.
 * @throws HitlError TOOL_FAILED where there is no such file, or something else took its place since it was checked.
 */
export async function readText(place: Place, maxBytes: number): Promise<FileText> {
  let handle: FileHandle | undefined;
  try {
    // Not blocked by a FIFO, and not led away by a link that was put there after the check.
    handle = await open(place.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = await handle.stat();
    if (stats.isDirectory()) throw new HitlError('TOOL_FAILED', `${place.label} is a folder`);
    if (!stats.isFile()) throw new HitlError('TOOL_FAILED', `${place.label} is not a regular file`);
    await checkPlace(place);
    const bytes = await readBytes(handle, maxBytes);
    return decode(bytes, stats.size);
  } catch (error) {
    throw fileProblem(error, place.label);
  } finally {
    await handle?.close();
  }
}

/**
 * Makes sure that a place still is where its path leads.
 * @throws HitlError TOOL_FAILED where a folder on the way was exchanged.
 */
async function checkPlace(place: Place): Promise<void> {
  if ((await realpath(place.path)) === place.path) return;
  throw new HitlError('TOOL_FAILED', `${place.label} leads elsewhere now than when it was checked`);
}

async function readBytes(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let left = maxBytes;
  while (left > 0) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, 1 << 16)));
    if (bytesRead === 0) break;
    chunks.push(buffer.subarray(0, bytesRead));
    left -= bytesRead;
  }
  return Buffer.concat(chunks);
}

function decode(bytes: Buffer, size: number): FileText {
  if (bytes.subarray(0, SNIFFED).includes(0)) return { type: 'binary', bytes: size };
  const cut = size > bytes.length;
  // The mark at the start of a file stays: an edit must not lose it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return { type: 'text', text, bytes: size, cut, exact: !cut && Buffer.from(text, 'utf8').equals(bytes) };
}
