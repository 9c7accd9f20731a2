import path from 'node:path';

import type { SessionId, SessionStatus } from '../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../src/core/index.js';
import { OPEN, openSafely, replaceCache } from '../disk/index.js';
import { sealLine, unsealLine } from '../format/index.js';
import type { FileFacts, FileSystem } from '../disk/index.js';
import { readRange } from '../journal/index.js';
import type { StoreContext } from '../folder/index.js';

// Invariants:
// X1 The index is a cache: an entry counts only while the journal has the size, time and inode that it was made from.
// X2 Nothing fails because of the index: one that does not fit is made again, one that cannot be written is not.

/** What a list needs to know of a session, and the journal that it was learned from. */
export interface IndexEntry {
  readonly id: SessionId;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly title: string;
  /** As it rests; whether it is in use is not kept. */
  readonly status: Exclude<SessionStatus, 'running'>;
  readonly waiting: number;
  readonly turns: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The latest writer; it may still be there. */
  readonly pid: number;
  readonly host: string;
}

const FORMAT = 'hitl-index';
const VERSION = 1;

const NUMBERS = ['size', 'mtimeMs', 'ino', 'waiting', 'turns', 'pid'] as const;
const TEXTS = ['title', 'status', 'createdAt', 'updatedAt', 'host'] as const;

/** An id that is none is the key of an entry that nobody asks for. */
function isEntry(value: unknown): value is IndexEntry {
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return false;
  // Loops: a list of ten thousand sessions waits for this.
  for (const name of NUMBERS) if (typeof value[name] !== 'number') return false;
  for (const name of TEXTS) if (typeof value[name] !== 'string') return false;
  return true;
}

function indexFile(root: string): string {
  return path.join(root, 'index.json');
}

function readAll(fs: FileSystem, file: string): Buffer {
  const fd = openSafely(fs, file, OPEN.read, []);
  try {
    return readRange(fs, fd, { from: 0 });
  } finally {
    fs.close(fd);
  }
}

/** The index of a store; empty where there is none that counts. Never throws. */
export function readIndex({ fs, root, program }: StoreContext): ReadonlyMap<SessionId, IndexEntry> {
  try {
    const index = unsealLine(readAll(fs, indexFile(root)).subarray(0, -1));
    if (index?.['format'] !== FORMAT || index['version'] !== VERSION || index['program'] !== program)
      return new Map();
    const { entries } = index;
    if (entries === undefined || !isJsonArray(entries)) return new Map();
    const known = new Map<SessionId, IndexEntry>();
    for (const entry of entries) if (isEntry(entry)) known.set(entry.id, entry);
    return known;
  } catch {
    return new Map(); // X2
  }
}

/** Replaces the index. Never throws. */
export function writeIndex(
  { fs, root, program, random }: StoreContext,
  entries: readonly IndexEntry[],
): void {
  const body = JSON.stringify({ format: FORMAT, version: VERSION, program, entries }).slice(0, -1);
  try {
    replaceCache(fs, indexFile(root), [sealLine(body)], random);
  } catch {
    // X2: a read-only store is listed all the same
  }
}

/** True where an entry still says what its journal does (X1). */
export function isCurrent(entry: Pick<IndexEntry, 'size' | 'mtimeMs' | 'ino'>, facts: FileFacts): boolean {
  return entry.size === facts.size && entry.mtimeMs === facts.mtimeMs && entry.ino === facts.ino;
}
