import { rm } from 'node:fs/promises';
import path from 'node:path';

import { saveFailed } from '../disk/errno.js';
import { syncFolder } from '../disk/atomic-write.js';
import type { SessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** Begins the names of folders that are being removed; no session id begins so. */
const REMOVED = '.removed-';

/** True for the name of a folder whose removal was begun. */
export function isRemoved(name: string): boolean {
  return name.startsWith(REMOVED);
}

/** Takes a session whose lock the caller holds from its place in one step; what is left is to remove it. @returns its path */
export function setAside({ fs, root, random }: StoreContext, folder: SessionFolder): string {
  const aside = path.join(root, `${REMOVED}${Buffer.from(random(8)).toString('hex')}`);
  fs.rename(folder.path, aside);
  return aside;
}

/**
 * Removes a session whose lock the caller holds: it disappears from its place in one step, then from the disk. Between the
 * two `forget` takes out what else is kept of it; a folder that is set aside says that this is still to be done.
 * @throws HitlError SAVE_FAILED
 */
export async function removeFolder(
  context: StoreContext,
  folder: SessionFolder,
  forget?: () => void,
): Promise<void> {
  try {
    const aside = setAside(context, folder);
    forget?.();
    await syncFolder(context.fs, context.root);
    await rm(aside, { recursive: true, force: true });
  } catch (error) {
    throw saveFailed(`the removal of session ${folder.id}`, error);
  }
}
