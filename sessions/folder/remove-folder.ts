import { rm } from 'node:fs/promises';
import path from 'node:path';

import { saveFailed, syncFolder } from '../disk/index.js';
import type { SessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** Begins the names of folders that are being removed; no session id begins so. */
const REMOVED = '.removed-';

/** True for the name of a folder whose removal was begun. */
export function isRemoved(name: string): boolean {
  return name.startsWith(REMOVED);
}

/**
 * Removes a session whose lock the caller holds: it disappears from its place in one step, then from the disk.
 * @throws HitlError SAVE_FAILED
 */
export async function removeFolder(context: StoreContext, folder: SessionFolder): Promise<void> {
  const { fs, root, random } = context;
  const aside = path.join(root, `${REMOVED}${Buffer.from(random(8)).toString('hex')}`);
  try {
    fs.rename(folder.path, aside);
    await syncFolder(fs, root);
    await rm(aside, { recursive: true, force: true });
  } catch (error) {
    throw saveFailed(`the removal of session ${folder.id}`, error);
  }
}
