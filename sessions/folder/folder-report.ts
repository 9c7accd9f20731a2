import path from 'node:path';

import type { FolderEntry } from '../../src/core/index.js';
import { isTemporary } from '../disk/atomic-write.js';
import type { FileSystem } from '../disk/file-system.js';
import { isFileCopy } from './file-copies.js';
import { isKeptOutput } from './keep-output.js';
import type { SessionFolder } from './session-folder.js';

/** The lock file that versions up to 0.2.0 used on systems without a kernel lock. */
const pidFileOf = (lock: string): string => `${lock}.pid`;

const BACKUP = /\.(?:torn-\d+|format-1)$/;

function roleOf(folder: SessionFolder, name: string): FolderEntry['role'] {
  if (isTemporary(name)) return 'temporary';
  if (BACKUP.test(name)) return 'backup';
  const own: readonly string[] = [...Object.values(folder).map(String), pidFileOf(folder.lock)];
  const isOwn = own.includes(path.join(folder.path, name)) || isKeptOutput(name) || isFileCopy(name);
  return isOwn ? 'session' : 'other';
}

/** Lists the entries in a session's folder, ordered by name. Throws Node.js errors. */
export function folderEntries(fs: FileSystem, folder: SessionFolder): readonly FolderEntry[] {
  const entries: FolderEntry[] = [];
  for (const name of [...fs.entries(folder.path)].sort()) {
    const facts = fs.lookUp(path.join(folder.path, name));
    if (facts === undefined) continue;
    const { kind, size, uid } = facts;
    entries.push({ name, kind, size, mode: facts.mode.toString(8), owner: uid, role: roleOf(folder, name) });
  }
  return entries;
}

/** Whether a session's folder contains entries that are not part of a session. Throws Node.js errors. */
export function hasForeignEntries(fs: FileSystem, folder: SessionFolder): boolean {
  return folderEntries(fs, folder).some(({ role }) => role === 'other');
}

/**
 * Whether a folder contains files that are created only after the first record: a transcript, a snapshot,
 * outputs, backups or answers. The note of a copied session is not one of them. Throws Node.js errors.
 */
export function hasRemains(fs: FileSystem, folder: SessionFolder): boolean {
  if (fs.lookUp(folder.path)?.kind === 'file') return false;
  const { journal, lock, inboxLock, copied } = folder;
  const first = [journal, lock, pidFileOf(lock), inboxLock, copied].map((file) => path.basename(file));
  return folderEntries(fs, folder).some(
    ({ name, role }) => role === 'backup' || (role === 'session' && !first.includes(name)),
  );
}

/**
 * Removes incomplete files left by crashed processes. The caller must hold the lock. Never throws. @returns
 * the names of the removed files
 */
export function removeTemporaries(fs: FileSystem, folder: SessionFolder): readonly string[] {
  try {
    const strays = fs.entries(folder.path).filter(isTemporary);
    for (const name of strays) fs.remove(path.join(folder.path, name));
    return strays;
  } catch {
    return []; // they are harmless, and are tried again the next time
  }
}
