import { rm } from 'node:fs/promises';
import path from 'node:path';

import { saveFailed } from '../disk/errno.js';
import { syncFolder } from '../disk/atomic-write.js';
import type { SessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** Prefix of folders being removed; not a valid start of a session id. */
const REMOVED = '.removed-';

/** Whether a folder's removal has started. */
export function isRemoved(name: string): boolean {
  return name.startsWith(REMOVED);
}

/** Moves a locked session away atomically; then it only remains to delete it. @returns its path */
export function setAside({ fs, root, random }: StoreContext, folder: SessionFolder): string {
  const aside = path.join(root, `${REMOVED}${Buffer.from(random(8)).toString('hex')}`);
  fs.rename(folder.path, aside);
  return aside;
}

/**
 * Removes a locked session: moved away atomically, then deleted. In between, `forget` removes its other data;
 * a moved folder marks that as unfinished.
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
