import type { SessionId } from '../src/core/index.js';
import { asUnreadable } from './errno.js';
import { notFound } from './open-journal.js';
import { lockSession } from './open-session.js';
import { removeFolder } from './remove-folder.js';
import { checkFolder } from './safe-open.js';
import { sessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

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
