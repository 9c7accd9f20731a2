import type { Dirent } from 'node:fs';
import path from 'node:path';

import { fileProblem } from './file-problem.js';
import type { Folder } from './folder.js';
import type { Holdings } from './holdings.js';
import { holdingsOf } from './holdings.js';
import { openFolder } from './open-folder.js';
import type { Place } from './place.js';

/** A folder entry. Links are listed but never followed. */
export interface Entry {
  readonly path: string;
  readonly name: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
  /**
   * Whether the entry's path below the requested folder is one that often contains keys. Reading such an
   * entry needs approval.
   */
  readonly sensitive: boolean;
  /** The folder that contains the entry, open until the next entry is requested. */
  readonly folder: Folder;
}

export interface WalkOptions {
  /** Whether to include the contents of subfolders. */
  readonly recursive: boolean;
  /** Same as in `Workspace`. */
  readonly ownFolders?: readonly string[] | undefined;
}

/** Folders that are listed but not entered, because they are large and not written by hand. */
const SKIPPED = new Set(['.git', 'node_modules']);
/** Maximum folder depth; limited because every folder on the path is kept open. */
const MAX_DEPTH = 100;

/**
 * Yields a folder's entries in name order; with `recursive`, each folder is followed by its contents. Skips
 * subfolders that are unreadable or likely to contain keys.
 * @throws HitlError TOOL_FAILED if the folder itself is unreadable.
 */
export async function* walk(
  place: Place,
  { recursive, ownFolders }: WalkOptions,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  let root: Folder | undefined;
  let entries: readonly Dirent[];
  try {
    root = await openFolder(place.path);
    entries = await root.entries();
  } catch (error) {
    await root?.close();
    throw fileProblem(error, place.label);
  }
  // Who may look into a folder of keys may look at all of it.
  const holdings = place.holds === undefined ? await holdingsOf(ownFolders) : undefined;
  try {
    yield* entriesOf({ folder: root, entries, depth: recursive ? MAX_DEPTH : 0, holdings }, signal);
  } finally {
    await root.close();
  }
}

interface Level {
  readonly folder: Folder;
  readonly entries: readonly Dirent[];
  /** Number of further levels to enter. */
  readonly depth: number;
  /** Absent if the approval covers everything in the folder. */
  readonly holdings: Holdings | undefined;
}

async function* entriesOf(level: Level, signal: AbortSignal): AsyncGenerator<Entry> {
  const sorted = [...level.entries].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of sorted) {
    signal.throwIfAborted();
    const at = path.join(level.folder.path, entry.name);
    const sensitive = level.holdings?.below(level.folder.path, at) !== undefined;
    yield { path: at, name: entry.name, type: typeOf(entry), sensitive, folder: level.folder };
    if (level.depth > 0 && entry.isDirectory() && !SKIPPED.has(entry.name) && !sensitive)
      yield* below(level, entry.name, signal);
  }
}

async function* below(level: Level, name: string, signal: AbortSignal): AsyncGenerator<Entry> {
  // A folder that may not be read, or is gone, is no reason to keep the others from the model.
  const folder = await level.folder.folder(name).catch(() => undefined);
  if (folder === undefined) return;
  try {
    const entries = await folder.entries().catch(() => []);
    yield* entriesOf({ ...level, folder, entries, depth: level.depth - 1 }, signal);
  } finally {
    await folder.close();
  }
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
