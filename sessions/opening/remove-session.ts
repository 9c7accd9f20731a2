import type { RemoveOptions, SessionId } from '../../src/core/index.js';
import { asUnreadable, checkFolder, checkRoot } from '../disk/index.js';
import { inboxFile, withoutMail } from '../inbox/index.js';
import { changedSince, notFound } from '../journal/index.js';
import { lockSession, openToRead, readSession } from './open-session.js';
import { removeFolder, sessionFolder } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';

/**
 * Removes a session with everything in its folder, and by `forget` what else is kept of it.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, LOCK_UNAVAILABLE, SESSION_UNREADABLE, SESSION_UNSAFE, SAVE_FAILED, VERSION_CONFLICT
 */
export async function removeSession(
  context: StoreContext,
  id: SessionId,
  { unchangedSince, forget }: RemoveOptions & { readonly forget: () => void },
): Promise<void> {
  const folder = sessionFolder(context.root, id);
  try {
    checkRoot(context.fs, context.root);
    if (!checkFolder(context.fs, folder.path, [])) throw notFound(id);
    const lock = lockSession(context, folder);
    try {
      // Its end stays, which holds no text: put back from a backup, the session has lost what came after that.
      const remove = (): Promise<void> => removeFolder(context, folder, forget);
      if (unchangedSince === undefined) {
        await remove();
        return;
      }
      if (openToRead(context, id).updatedAt !== unchangedSince) throw changedSince(id);
      await withoutMail(
        inboxFile(context, folder, () => readSession(context, id).tip),
        remove,
      );
    } finally {
      lock.release();
    }
  } catch (error) {
    throw asUnreadable(`session ${id}`, error);
  }
}
