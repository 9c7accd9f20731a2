import { rm } from 'node:fs/promises';
import path from 'node:path';

import { saveFailed } from '../disk/errno.js';
import { syncFolder } from '../disk/atomic-write.js';
import type { SessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** Prefix of folders that are being removed. A session id cannot start with it. */
const REMOVED = '.removed-';

/** Whether the folder with this name is being removed. */
export function isRemoved(name: string): boolean {
  return name.startsWith(REMOVED);
}

/**
 * Atomically renames the folder of a locked session, so that only its deletion remains. @returns its new path
 */
export function setAside({ fs, root, random }: StoreContext, folder: SessionFolder): string {
  const aside = path.join(root, `${REMOVED}${Buffer.from(random(8)).toString('hex')}`);
  fs.rename(folder.path, aside);
  return aside;
}

/**
 * Removes a locked session: atomically renames its folder, calls `forget` to remove its data elsewhere, then
 * deletes the folder. A renamed folder shows that the removal is unfinished.
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
