import path from 'node:path';

import type { SessionExamination, SessionId, SessionRepair } from '../../src/core/index.js';
import { FILE_MODE } from '../disk/atomic-write.js';
import { isLoose } from '../disk/safe-open.js';
import { saveFailed } from '../disk/errno.js';
import { examineSession } from './examine-session.js';
import { openToWrite } from './open-session.js';
import type { StoreContext } from '../folder/store-options.js';

/**
 * Repairs everything that can be repaired without losing data: permissions, a torn tail, stray temporary
 * files, the snapshot and the transcript. Safe to repeat.
 * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_UNREADABLE,
 * SESSION_UNSAFE, SAVE_FAILED
 */
export async function repairSession(context: StoreContext, id: SessionId): Promise<SessionRepair> {
  const before = examineSession(context, id);
  const done: string[] = [];
  {
    await using session = await openToWrite(context, id);
    done.push(...session.notices);
    tightenModes(context, examineSession(context, id), done);
    for (const { name, role } of before.entries) {
      if (role === 'temporary') done.push(`removed partially written \`${name}\``);
    }
    await session.rebuild();
    done.push('rebuilt snapshot and transcript');
  }
  return { done, after: examineSession(context, id) };
}

/**
 * Removes the permissions of other users from the remaining files. For the folder and the journal, this was
 * already done when the session was opened.
 */
function tightenModes(
  { fs }: StoreContext,
  { path: folder, entries }: SessionExamination,
  done: string[],
): void {
  for (const { name, kind, mode } of entries) {
    if (!isLoose(Number.parseInt(mode, 8)) || kind !== 'file') continue; // a link's own mode says nothing
    try {
      fs.changeMode(path.join(folder, name), FILE_MODE);
    } catch (error) {
      throw saveFailed(`the mode of \`${name}\``, error);
    }
    done.push(`closed \`${name}\` to others`);
  }
}
