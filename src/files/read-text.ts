import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import path from 'node:path';

import { HitlError } from '../core/index.js';

import { isUnchanged, withCode } from './anchor.js';
import { fileProblem } from './file-problem.js';
import type { Folder } from './folder.js';
import { withFolder } from './open-folder.js';
import type { Place } from './place.js';

/** A file's text, or a note that it is binary. */
export type FileText =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly stats: BigIntStats;
      readonly cut: boolean;
      readonly exact: boolean;
    }
  | { readonly type: 'binary'; readonly stats: BigIntStats };

/** Number of bytes checked to tell text from binary. */
const SNIFFED = 8192;
/** Number of bytes read at a time. */
const CHUNK = 1 << 16;

/**
 * Reads at most `maxBytes` of a regular file. `exact`: writing the text back would produce the same bytes;
 * `cut`: the file is longer.
 * @throws HitlError TOOL_FAILED if the file does not exist, or if its path no longer leads to the location
 * that was checked.
 */
export async function readText(place: Place, maxBytes: number): Promise<FileText> {
  return withFile(place, async (handle, stats) => textOf(handle, stats, maxBytes));
}

/** Like `readText`, for a file in an open folder. Throws Node's errors. */
export async function readTextIn(folder: Folder, name: string, maxBytes: number): Promise<FileText> {
  return withEntry(folder, name, async (handle, stats) => textOf(handle, stats, maxBytes));
}

/**
 * Reads a whole file if it has not changed since it was inspected.
 * @throws HitlError TOOL_FAILED like `readText`, or if the file has changed.
 */
export async function readBytes(place: Place, before: BigIntStats): Promise<Buffer> {
  return withFile(place, async (handle, stats) => {
    const bytes = await handle.readFile();
    if (!isUnchanged(before, stats) || !isUnchanged(stats, await handle.stat({ bigint: true })))
      throw withCode('ECHANGED', `${place.label} changed`);
    return bytes;
  });
}

/**
 * Opens a regular file for the duration of `use`.
 * @throws HitlError TOOL_FAILED like `readText`.
 */
export async function withFile<Result>(
  place: Place,
  use: (handle: FileHandle, stats: BigIntStats) => Promise<Result>,
): Promise<Result> {
  try {
    const name = path.basename(place.path);
    if (name === '') throw new HitlError('TOOL_FAILED', `${place.label} is a folder`);
    return await withFolder(path.dirname(place.path), async (folder) =>
      withEntry(folder, name, use, place.label),
    );
  } catch (error) {
    throw fileProblem(error, place.label);
  }
}

async function withEntry<Result>(
  folder: Folder,
  name: string,
  use: (handle: FileHandle, stats: BigIntStats) => Promise<Result>,
  label = name,
): Promise<Result> {
  const handle = await folder.open(name, constants.O_RDONLY);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.isDirectory()) throw new HitlError('TOOL_FAILED', `${label} is a folder`);
    if (!stats.isFile()) throw new HitlError('TOOL_FAILED', `${label} is not a regular file`);
    return await use(handle, stats);
  } finally {
    await handle.close();
  }
}

/** Yields an open file's bytes in chunks, up to a limit. A chunk is valid until the next one is requested. */
export async function* pieces(handle: FileHandle, maxBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.alloc(Math.min(maxBytes, CHUNK));
  for (let left = maxBytes; left > 0;) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(left, buffer.length));
    if (bytesRead === 0) return;
    left -= bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Reads the first bytes of an open file without changing its read position. */
export async function startOf(handle: FileHandle, most: number): Promise<Buffer> {
  const bytes = Buffer.alloc(most);
  let length = 0;
  while (length < most) {
    const { bytesRead } = await handle.read(bytes, length, most - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Whether a file is binary, judging by its first bytes. */
export function isBinary(start: Buffer): boolean {
  return start.subarray(0, SNIFFED).includes(0);
}

async function textOf(handle: FileHandle, stats: BigIntStats, maxBytes: number): Promise<FileText> {
  const chunks: Buffer[] = [];
  for await (const piece of pieces(handle, maxBytes)) chunks.push(Buffer.from(piece));
  const bytes = Buffer.concat(chunks);
  if (isBinary(bytes)) return { type: 'binary', stats };
  const cut = stats.size > BigInt(bytes.length);
  // The mark at the start of a file stays: an edit must not lose it.
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return { type: 'text', text, stats, cut, exact: !cut && Buffer.from(text, 'utf8').equals(bytes) };
}
