import path from 'node:path';

import type { SessionId } from '../src/core/index.js';
import { FILE_MODE, FOLDER_MODE } from './atomic-write.js';
import { examineSession } from './examine-session.js';
import type { SessionExamination } from './examine-session.js';
import { errnoOf, saveFailed } from './errno.js';
import { openToWrite } from './open-session.js';
import { isLoose } from './safe-open.js';
import { sessionFolder } from './session-folder.js';
import type { StoreContext } from './store-options.js';

/** What a repair did, and what is there now. */
export interface SessionRepair {
  /** One sentence each; empty where there was nothing to do. */
  readonly done: readonly string[];
  readonly after: SessionExamination;
}

/**
 * Mends what can be mended without losing anything: modes, a torn tail, stray temporary files, snapshot and
 * transcript. Repeating it does no harm.
 * @throws HitlError SESSION_DAMAGED, SESSION_NEWER, SESSION_NOT_FOUND, SESSION_LOCKED, SESSION_UNREADABLE,
 * SESSION_UNSAFE, SAVE_FAILED
 */
export async function repairSession(context: StoreContext, id: SessionId): Promise<SessionRepair> {
  const before = examineSession(context, id);
  const done: string[] = [];
  {
    await using session = await openToWrite(context, id);
    done.push(...session.notices);
    tightenModes(context, before, done);
    for (const { name, role } of before.entries) {
      if (role === 'temporary') done.push(`removed \`${name}\`, which a process left half written`);
    }
    await session.rebuild();
    done.push('made snapshot and transcript again');
  }
  return { done, after: examineSession(context, id) };
}

function tightenModes(
  { fs, root }: StoreContext,
  { id, loose, entries }: SessionExamination,
  done: string[],
): void {
  const folder = sessionFolder(root, id);
  for (const name of loose) {
    const kind = name === '.' ? 'folder' : entries.find((entry) => entry.name === name)?.kind;
    const file = path.join(folder.path, name);
    if ((kind !== 'folder' && kind !== 'file') || !isLoose(fs.lookUp(file)?.mode ?? 0)) continue;
    try {
      fs.changeMode(file, kind === 'folder' ? FOLDER_MODE : FILE_MODE);
    } catch (error) {
      throw errnoOf(error) === undefined ? error : saveFailed(`the mode of \`${name}\``, error);
    }
    done.push(`closed \`${name}\` to others`);
  }
}
