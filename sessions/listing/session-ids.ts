import type { SessionId } from '../../src/core/index.js';
import { errnoOf, isSessionId } from '../../src/core/index.js';
import { checkRoot, unreadable } from '../disk/index.js';
import { journalOf } from '../folder/index.js';
import type { StoreContext } from '../folder/index.js';

/** What stands in the folder of all sessions under a name that could be an id. @throws HitlError SESSION_UNREADABLE, SESSION_UNSAFE */
export function namesInStore({ fs, root }: StoreContext): readonly SessionId[] {
  checkRoot(fs, root);
  try {
    return fs.entries(root).filter(isSessionId);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw unreadable(`the sessions in \`${root}\``, error);
  }
}

/** The ids of all sessions, in no particular order. A folder without a journal, or with an empty one, is none (P0). */
export function sessionIds(context: StoreContext): readonly SessionId[] {
  return namesInStore(context).filter((id) => {
    try {
      return (context.fs.lookUp(journalOf(context.root, id))?.size ?? 0) > 0;
    } catch {
      return true; // not ours to look into: it exists, and opening it says why it cannot be read
    }
  });
}
