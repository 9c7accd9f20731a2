import type { RemoveOptions, SessionId } from '../../src/core/index.js';
import { asUnreadable, checkFolder, checkRoot } from '../disk/index.js';
import { inboxFile, withoutMail } from '../inbox/index.js';
import { changedSince, notFound } from '../journal/index.js';
import { lockSession, openToRead } from './open-session.js';
import { removeFolder, sessionFolder } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';

/**
 * Removes a session with everything in its folder.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, LOCK_UNAVAILABLE, SESSION_UNREADABLE, SESSION_UNSAFE, SAVE_FAILED, VERSION_CONFLICT
 */
export async function removeSession(
  context: StoreContext,
  id: SessionId,
  { unchangedSince }: RemoveOptions,
): Promise<void> {
  const folder = sessionFolder(context.root, id);
  try {
    checkRoot(context.fs, context.root);
    if (!checkFolder(context.fs, folder.path, [])) throw notFound(id);
    const lock = lockSession(context, folder);
    try {
      const remove = (): Promise<void> => removeFolder(context, folder);
      if (unchangedSince === undefined) {
        await remove();
        return;
      }
      if (openToRead(context, id).updatedAt !== unchangedSince) throw changedSince(id);
      await withoutMail(
        inboxFile(context, folder, () => openToRead(context, id).state),
        remove,
      );
    } finally {
      lock.release();
    }
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}
