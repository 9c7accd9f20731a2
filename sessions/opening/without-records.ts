import type { HitlError } from '../../src/core/index.js';
import type { FileSystem } from '../disk/file-system.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { hasForeignEntries, hasRemains } from '../folder/folder-report.js';
import { removeFolder } from '../folder/remove-folder.js';
import { LOST, unfit } from '../journal/journal-verdict.js';
import { notFound } from '../journal/open-journal.js';

/**
 * Makes the error for a folder without a record: nobody was ever told of such a session (P0), unless something in it
 * says that there was one. Throws Node's errors.
 */
export function withoutRecords(fs: FileSystem, folder: SessionFolder): HitlError {
  return hasRemains(fs, folder) ? unfit(folder.id, LOST, 0) : notFound(folder.id);
}

/**
 * Removes what is left of a session that was never confirmed (P0), and nothing else. The caller holds its lock.
 * @throws HitlError SESSION_NOT_FOUND, SESSION_DAMAGED, SAVE_FAILED; Node's errors
 */
export async function clearUnborn(context: StoreContext, folder: SessionFolder): Promise<never> {
  const told = withoutRecords(context.fs, folder);
  if (told.code === 'SESSION_NOT_FOUND' && !hasForeignEntries(context.fs, folder))
    await removeFolder(context, folder);
  throw told;
}
