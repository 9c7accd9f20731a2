import path from 'node:path';

import type { Interrupt, SessionId } from '../../src/core/index.js';
import { isJsonArray, isJsonObject } from '../../src/core/index.js';
import { OPEN, openSafely, replaceCache } from '../disk/index.js';
import { sealLine, unsealLine } from '../format/index.js';
import { readRange } from '../journal/index.js';
import type { StoreContext } from '../folder/index.js';

// The open interrupts stand in a file of their own: a list of sessions is asked for more often, and needs none of them.

/** What is open in a session, and the journal that it was learned from. */
export interface WaitingEntry {
  readonly id: SessionId;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ino: number;
  readonly open: readonly Interrupt[];
}

const FORMAT = 'hitl-waiting';
const VERSION = 1;

function indexFile(root: string): string {
  return path.join(root, 'waiting.json');
}

/** As deep as a list needs it; what an answer is checked against is the journal. */
function isInterrupt(value: unknown): value is Interrupt {
  if (!isJsonObject(value)) return false;
  const { id, kind, source, allowed, digest, raisedAt, path: place } = value;
  if (!isJsonObject(source) || typeof source['type'] !== 'string') return false;
  if (source['type'] === 'tool' && typeof source['name'] !== 'string') return false;
  if (allowed === undefined || !isJsonArray(allowed)) return false;
  return [id, kind, digest, raisedAt, place].every((text) => typeof text === 'string');
}

function isEntry(value: unknown): value is WaitingEntry {
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return false;
  const { size, mtimeMs, ino, open } = value;
  if ([size, mtimeMs, ino].some((one) => typeof one !== 'number')) return false;
  return open !== undefined && isJsonArray(open) && open.every(isInterrupt);
}

/** The open interrupts as they were learned before; empty where nothing of it counts. Never throws. */
export function readWaiting({ fs, root, program }: StoreContext): ReadonlyMap<SessionId, WaitingEntry> {
  try {
    const fd = openSafely(fs, indexFile(root), OPEN.read, []);
    let bytes: Buffer;
    try {
      bytes = readRange(fs, fd, { from: 0 });
    } finally {
      fs.close(fd);
    }
    const index = unsealLine(bytes.subarray(0, -1));
    if (index?.['format'] !== FORMAT || index['version'] !== VERSION || index['program'] !== program)
      return new Map();
    const { entries } = index;
    if (entries === undefined || !isJsonArray(entries)) return new Map();
    const known = new Map<SessionId, WaitingEntry>();
    for (const entry of entries) if (isEntry(entry)) known.set(entry.id, entry);
    return known;
  } catch {
    return new Map(); // a cache: it is made again
  }
}

/** Replaces what `readWaiting` reads. Never throws. */
export function writeWaiting(
  { fs, root, program, random }: StoreContext,
  entries: readonly WaitingEntry[],
): void {
  const body = JSON.stringify({ format: FORMAT, version: VERSION, program, entries }).slice(0, -1);
  try {
    replaceCache(fs, indexFile(root), [sealLine(body)], random);
  } catch {
    // a read-only store is looked at all the same
  }
}
