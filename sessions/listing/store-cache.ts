import path from 'node:path';

import type { JsonObject, SessionId } from '../../src/core/index.js';
import { errnoOf, isJsonArray, isJsonObject } from '../../src/core/index.js';
import type { FileFacts, FileSystem } from '../disk/file-system.js';
import { isTemporary, replaceCache } from '../disk/atomic-write.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import type { StoreContext } from '../folder/store-options.js';
import { sealLine, unsealLine } from '../format/codec.js';
import { readRange } from '../journal/read-lines.js';

// Invariants:
// X1 An entry counts only while the journal has the size, time and inode that it was learned from.
// X2 Nothing fails because of a cache: one that does not fit is made again, one that cannot be written is not.
// X3 A cache says nothing of a session that was removed. Whoever removes one takes it out of the caches before saying so,
//    and whoever writes a cache looks afterwards whether its sessions are still there: of the two, the later one sees
//    the other.

/** Identifies the version of a session's journal from which a cache entry was derived. */
export interface LearnedFrom {
  readonly id: SessionId;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
}

/** A file next to the sessions that contains an entry for each session. */
export interface StoreCache<Entry extends LearnedFrom> {
  readonly file: string;
  readonly format: string;
  readonly isEntry: (value: JsonObject) => value is Entry & JsonObject;
}

const VERSION = 1;

/** Returns the entries of a cache, by session; empty if the cache is invalid. Never throws. */
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

/**
 * Whether the properties of an entry have valid types. An entry with an invalid id is never used. Checks each
 * property by name, so that a list of ten thousand sessions stays fast.
 */
function isLearned({ id, size, mtimeMs, ino }: JsonObject): boolean {
  const isFact = typeof size === 'number' && typeof mtimeMs === 'number' && typeof ino === 'number';
  return isFact && typeof id === 'string';
}

/** Replaces a cache. Never throws. */
export function writeCache<Entry extends LearnedFrom>(
  context: StoreContext,
  cache: StoreCache<Entry>,
  entries: readonly Entry[],
): void {
  try {
    replaceWith(context, cache, entries);
    const there = new Set(context.fs.entries(context.root)); // X3
    const left = entries.filter(({ id }) => there.has(id));
    if (left.length < entries.length) replaceWith(context, cache, left);
  } catch {
    // X2: a store that can only be read is listed all the same
  }
}

function replaceWith<Entry extends LearnedFrom>(
  { fs, root, program, random }: StoreContext,
  { file, format }: StoreCache<Entry>,
  entries: readonly Entry[],
): void {
  const body = JSON.stringify({ format, version: VERSION, program, entries }).slice(0, -1);
  replaceCache(fs, path.join(root, file), [sealLine(body)], random);
}

/** Removes the entries of deleted sessions from a cache (X3). Throws Node.js errors if entries may remain. */
export function withoutGone<Entry extends LearnedFrom>(
  context: StoreContext,
  cache: StoreCache<Entry>,
): void {
  const { fs, root } = context;
  const file = path.join(root, cache.file);
  const names = fs.entries(root);
  // One that is half written is on its way to its place, or was left by a process that died.
  for (const name of names)
    if (isTemporary(name) && name.startsWith(`.${cache.file}.`)) removeIfThere(fs, path.join(root, name));
  if (!names.includes(cache.file)) return;
  const known = readCache(context, cache);
  const there = new Set(names);
  const left = [...known.values()].filter(({ id }) => there.has(id));
  if (known.size > 0 && left.length === known.size) return;
  try {
    if (known.size > 0) {
      replaceWith(context, cache, left);
      return;
    }
  } catch {
    // what cannot be replaced may still be removed
  }
  removeIfThere(fs, file); // it is made again; of another version of this program nobody knows what it says
}

function removeIfThere(fs: FileSystem, file: string): void {
  try {
    fs.remove(file);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

/** Whether an entry still matches its journal (X1). */
export function isCurrent(entry: LearnedFrom, facts: FileFacts): boolean {
  return entry.size === facts.size && entry.mtimeMs === facts.mtimeMs && entry.ino === facts.ino;
}
