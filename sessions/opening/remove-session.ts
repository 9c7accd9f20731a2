import type { RemoveOptions, SessionId } from '../../src/core/index.js';
import { asUnreadable } from '../disk/errno.js';
import { checkFolder, checkRoot } from '../disk/safe-open.js';
import { inboxFile } from '../inbox/inbox-file.js';
import { withoutMail } from '../inbox/without-mail.js';
import { changedSince, notFound } from '../journal/open-journal.js';
import { lockSession, openToRead, readSession } from './open-session.js';
import { removeFolder } from '../folder/remove-folder.js';
import { sessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';

/**
 * Removes a session with its folder. `forget` removes the session's data outside the folder.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_LOCKED, LOCK_UNAVAILABLE, SESSION_UNREADABLE, SESSION_UNSAFE,
 * SAVE_FAILED, VERSION_CONFLICT
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
