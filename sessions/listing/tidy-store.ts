// Invariants:
// T1 A folder of a session goes only under its lock, and only with nothing in it but what its making begins with.
// T2 What cannot be removed stays, and is no reason to fail.
import { rmSync } from 'node:fs';
import path from 'node:path';

import { isSessionId } from '../../src/core/index.js';
import { isTemporary } from '../disk/atomic-write.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { hasForeignEntries, hasRemains } from '../folder/folder-report.js';
import { isRemoved, setAside } from '../folder/remove-folder.js';
import { sessionFolder } from '../folder/session-folder.js';
import { lockSession } from '../opening/open-session.js';
import { forgetRemoved } from './waiting-index.js';

/** Minimum age for removal, in milliseconds. Younger files may still be in use by another process. */
const STRAY_AFTER_MS = 60_000;

/**
 * Cleans up after crashed processes in the sessions folder: partial removals, incompletely written caches,
 * and unconfirmed sessions (P0). Never throws.
 * @param names the names to check.
 * @returns the names that were removed.
 */
export function tidyStore(context: StoreContext, names: readonly string[]): readonly string[] {
  return names.filter((name) => {
    try {
      if (isSessionId(name)) return clearUnborn(context, sessionFolder(context.root, name));
      if (isRemoved(name)) forgetRemoved(context); // whoever set it aside may have died before
      return isStray(context, name) && removed(path.join(context.root, name));
    } catch {
      return false; // T2
    }
  });
}

function isStray({ fs, root, now }: StoreContext, name: string): boolean {
  if (isRemoved(name)) return true; // whoever removes it too comes to the same
  if (!isTemporary(name)) return false;
  return now() - (fs.lookUp(path.join(root, name))?.mtimeMs ?? Infinity) >= STRAY_AFTER_MS;
}

function removed(file: string): boolean {
  rmSync(file, { recursive: true, force: true });
  return true;
}

function clearUnborn(context: StoreContext, folder: SessionFolder): boolean {
  if (!isUnborn(context, folder)) return false; // T1: no lock is made in it either
  const lock = lockSession(context, folder);
  try {
    return isUnborn(context, folder) && removed(setAside(context, folder));
  } finally {
    lock.release();
  }
}

function isUnborn({ fs }: StoreContext, folder: SessionFolder): boolean {
  if (fs.lookUp(folder.path)?.kind !== 'folder') return false;
  const isEmpty = (fs.lookUp(folder.journal)?.size ?? 0) === 0;
  return isEmpty && !hasRemains(fs, folder) && !hasForeignEntries(fs, folder);
}
