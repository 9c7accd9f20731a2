import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';

import { fileProblem } from './file-problem.js';

/** One entry of a folder. Links are named and never followed. */
export interface Entry {
  readonly path: string;
  readonly type: 'file' | 'folder' | 'link' | 'other';
}

/** Folders that are named and not entered: they are large, and nobody's text. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * The entries of a folder in the order of their names; with `recursive` each folder is followed by what is in it.
 * A folder below that may not be read is passed over.
 * @throws HitlError TOOL_FAILED where the folder itself cannot be read.
 */
export async function* walk(folder: string, recursive: boolean, signal: AbortSignal): AsyncGenerator<Entry> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw fileProblem(error, folder);
  });
  yield* entriesOf(folder, entries, recursive, signal);
}

async function* entriesOf(
  folder: string,
  entries: readonly Dirent[],
  recursive: boolean,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const sorted = [...entries].sort((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of sorted) {
    signal.throwIfAborted();
    const at = path.join(folder, entry.name);
    yield { path: at, type: typeOf(entry) };
    if (!recursive || !entry.isDirectory() || SKIPPED.has(entry.name)) continue;
    // A folder that may not be read, or is gone, is no reason to keep the others from the model.
    const inner = await readdir(at, { withFileTypes: true }).catch(() => []);
    yield* entriesOf(at, inner, recursive, signal);
  }
}

function typeOf(entry: Dirent): Entry['type'] {
  if (entry.isSymbolicLink()) return 'link';
  if (entry.isDirectory()) return 'folder';
  return entry.isFile() ? 'file' : 'other';
}
