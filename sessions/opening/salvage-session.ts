import type { Salvage, SessionId } from '../../src/core/index.js';
import { emptyState, evolve, HitlError, isoTime } from '../../src/core/index.js';
import { asSaveFailed } from '../disk/errno.js';
import { checkFolder } from '../disk/safe-open.js';
import { syncFolder, writeFileAtomically } from '../disk/atomic-write.js';
import { doubtsIn } from './adoption.js';
import { claimFolder } from './create-session.js';
import { notFound, openForReading } from '../journal/open-journal.js';
import { readChunks } from '../journal/read-lines.js';
import { scanJournal } from '../journal/scan-journal.js';
import { openToWrite } from './open-session.js';
import type { JournalScan } from '../journal/scan-journal.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { sessionFolder } from '../folder/session-folder.js';

/**
 * Copies the valid records of a damaged session to a new session and leaves the original unchanged. Because
 * calls may have been recorded in the lost part, none of the remaining calls starts automatically: a question
 * is asked about each one (G10).
 * @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_DAMAGED if no record is valid,
 * SAVE_FAILED, USAGE for an undamaged session
 */
export async function salvageSession(context: StoreContext, id: SessionId): Promise<Salvage> {
  const { fs } = context;
  const source = sessionFolder(context.root, id);
  if (!checkFolder(fs, source.path, [])) throw notFound(id);
  const fd = openForReading(fs, source);
  try {
    const scan = scanGood(context, id, fd);
    const copy = await copyGood(context, fd, scan);
    const inDoubt = await askAboutCalls(context, copy);
    return { id: copy.id, records: scan.position.seq, inDoubt };
  } finally {
    fs.close(fd);
  }
}

function scanGood({ fs, steps }: StoreContext, id: SessionId, fd: number): JournalScan {
  let state = emptyState();
  const scan = scanJournal(fs, fd, ({ event }) => void (state = evolve(state, event)), { steps });
  const { health, position } = scan;
  if (position.seq === 0) {
    throw new HitlError('SESSION_DAMAGED', `session ${id} has no valid events`, {
      hint: `see what is left: hitl doctor ${id}`,
    });
  }
  if (health.status === 'damaged' || health.status === 'newer') return scan;
  throw new HitlError('USAGE', `session ${id} is not damaged`, { hint: `resume it: hitl resume ${id}` });
}

async function copyGood(
  context: StoreContext,
  fd: number,
  { position }: JournalScan,
): Promise<SessionFolder> {
  const { fs, root, random } = context;
  const { folder, lock } = await claimFolder(context, undefined);
  try {
    await writeFileAtomically(
      fs,
      folder.journal,
      readChunks(fs, fd, { from: 0, to: position.length }),
      random,
    );
    await syncFolder(fs, root);
  } catch (error) {
    throw asSaveFailed(`the copy ${folder.id}`, error);
  } finally {
    lock.release();
  }
  return folder;
}

async function askAboutCalls(context: StoreContext, { id }: SessionFolder): Promise<number> {
  await using session = await openToWrite(context, id);
  const events = doubtsIn(session.state, isoTime(context.now()));
  await session.append(events);
  await session.saveTranscript();
  return events.length;
}
