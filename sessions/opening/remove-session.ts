import type { SessionId } from '../../src/core/index.js';
import { asUnreadable } from '../disk/errno.js';
import { notFound } from '../journal/open-journal.js';
import { lockSession } from './open-session.js';
import { removeFolder } from '../folder/remove-folder.js';
import { checkFolder } from '../disk/safe-open.js';
import { sessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';

/**
 * Removes a session with everything in its folder.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, LOCK_UNAVAILABLE, SESSION_UNREADABLE, SESSION_UNSAFE, SAVE_FAILED
 */
export async function removeSession(context: StoreContext, id: SessionId): Promise<void> {
  const folder = sessionFolder(context.root, id);
  try {
    if (!checkFolder(context.fs, folder.path, [])) throw notFound(id);
    const lock = lockSession(context, folder);
    try {
      await removeFolder(context, folder);
    } finally {
      lock.release();
    }
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}
