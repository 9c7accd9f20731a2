import path from 'node:path';

import type { JsonObject, SessionId } from '../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../src/core/index.js';
import type { FileFacts } from '../disk/index.js';
import { OPEN, openSafely, replaceCache } from '../disk/index.js';
import type { StoreContext } from '../folder/index.js';
import { sealLine, unsealLine } from '../format/index.js';
import { readRange } from '../journal/index.js';

// Invariants:
// X1 An entry counts only while the journal has the size, time and inode that it was learned from.
// X2 Nothing fails because of a cache: one that does not fit is made again, one that cannot be written is not.

/** The facts that were learned of a session, and the journal that they were learned from. */
export interface LearnedFrom {
  readonly id: SessionId;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** A file beside the sessions that keeps an entry for each of them. */
export interface StoreCache<Entry extends LearnedFrom> {
  readonly file: string;
  readonly format: string;
  readonly isEntry: (value: JsonObject) => value is Entry & JsonObject;
}

const VERSION = 1;

/** The entries of a cache, by session; empty where nothing of it counts. Never throws. */
export function readCache<Entry extends LearnedFrom>(
  { fs, root, program }: StoreContext,
  { file, format, isEntry }: StoreCache<Entry>,
): ReadonlyMap<SessionId, Entry> {
  const known = new Map<SessionId, Entry>();
  try {
    const fd = openSafely(fs, path.join(root, file), OPEN.read, []);
    let bytes: Buffer;
    try {
      bytes = readRange(fs, fd, { from: 0 });
    } finally {
      fs.close(fd);
    }
    const index = unsealLine(bytes.subarray(0, -1));
    if (index?.['format'] !== format || index['version'] !== VERSION || index['program'] !== program)
      return known;
    const { entries } = index;
    if (entries === undefined || !isJsonArray(entries)) return known;
    for (const entry of entries)
      if (isJsonObject(entry) && isLearned(entry) && isEntry(entry)) known.set(entry.id, entry);
  } catch {
    known.clear(); // X2
  }
  return known;
}

/** An id that is none is the key of an entry that nobody asks for. By name: a list of ten thousand sessions waits for it. */
function isLearned({ id, size, mtimeMs, ino }: JsonObject): boolean {
  const isFact = typeof size === 'number' && typeof mtimeMs === 'number' && typeof ino === 'number';
  return isFact && typeof id === 'string';
}

/** Replaces a cache. Never throws. */
export function writeCache<Entry extends LearnedFrom>(
  { fs, root, program, random }: StoreContext,
  { file, format }: StoreCache<Entry>,
  entries: readonly Entry[],
): void {
  const body = JSON.stringify({ format, version: VERSION, program, entries }).slice(0, -1);
  try {
    replaceCache(fs, path.join(root, file), [sealLine(body)], random);
  } catch {
    // X2: a store that can only be read is listed all the same
  }
}

/** True where an entry still says what its journal does (X1). */
export function isCurrent(entry: LearnedFrom, facts: FileFacts): boolean {
  return entry.size === facts.size && entry.mtimeMs === facts.mtimeMs && entry.ino === facts.ino;
}
