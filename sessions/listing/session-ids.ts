import type { SessionId } from '../../src/core/index.js';
import { errnoOf, isSessionId } from '../../src/core/index.js';
import { checkRoot } from '../disk/safe-open.js';
import { unreadable } from '../disk/errno.js';
import { hasRemains } from '../folder/folder-report.js';
import { journalOf, sessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';

/**
 * Lists the names of the entries in the sessions folder. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE
 */
export function namesInStore({ fs, root }: StoreContext): readonly string[] {
  checkRoot(fs, root);
  try {
    return fs.entries(root);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw unreadable(`the sessions in \`${root}\``, error);
  }
}

/**
 * Finds a session by its full id without listing the other sessions; `undefined` if the text is not the full
 * id of a session that can be found this way.
 * @throws HitlError SESSION_UNSAFE
 */
export function wholeId({ fs, root }: StoreContext, text: string): SessionId | undefined {
  if (!isSessionId(text)) return undefined;
  checkRoot(fs, root);
  try {
    return (fs.lookUp(journalOf(root, text))?.size ?? 0) > 0 ? text : undefined;
  } catch {
    return undefined; // it is looked for as any other
  }
}

/** Returns all session ids in no particular order. A folder without session files is not a session (P0). */
export function sessionIds(context: StoreContext): readonly SessionId[] {
  const { fs, root } = context;
  return namesInStore(context)
    .filter(isSessionId)
    .filter((id) => {
      try {
        const size = fs.lookUp(journalOf(root, id))?.size ?? 0;
        return size > 0 || hasRemains(fs, sessionFolder(root, id));
      } catch {
        return true; // not ours to look into: it exists, and opening it says why it cannot be read
      }
    });
}
