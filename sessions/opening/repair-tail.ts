import { errnoOf } from '../../src/core/index.js';
import { FILE_MODE, syncFolder, writeWhole } from '../disk/atomic-write.js';
import { OPEN } from '../disk/file-system.js';
import type { FileSystem } from '../disk/file-system.js';
import type { LoadedJournal } from '../snapshot/load-journal.js';
import { readChunks } from '../journal/read-lines.js';
import type { SessionFolder } from '../folder/session-folder.js';

/** Returns the name of the file that contains the bytes of the n-th torn tail. */
function backupOf(folder: SessionFolder, count: number): string {
  return `${folder.journal}.torn-${count}`;
}

function createBackup(fs: FileSystem, folder: SessionFolder): { readonly fd: number; readonly path: string } {
  for (let count = 1; ; count += 1) {
    const path = backupOf(folder, count);
    try {
      return { fd: fs.open(path, OPEN.readWrite | OPEN.exclusive, FILE_MODE), path };
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
}

/**
 * Prepares the end of a journal for appending. Copies a torn tail to a file next to the journal before
 * cutting it off (G3), and adds the last newline if it is missing. Throws Node.js errors. Safe to repeat
 * (P23).
 * @param fd the journal, open for appending.
 * @returns the resulting journal, and a notice for the user.
 */
export async function repairTail(
  fs: FileSystem,
  fd: number,
  folder: SessionFolder,
  loaded: LoadedJournal,
): Promise<{ readonly loaded: LoadedJournal; readonly notice?: string }> {
  const { position, health, endsOpen } = loaded;
  if (endsOpen) {
    writeWhole(fs, fd, Buffer.from('\n'));
    await fs.datasync(fd);
    const whole = { ...position, length: position.length + 1 };
    return { loaded: { ...loaded, position: whole, endsOpen: false } };
  }
  if (health.status !== 'torn') return { loaded };
  const backup = createBackup(fs, folder);
  try {
    for (const piece of readChunks(fs, fd, { from: position.length })) writeWhole(fs, backup.fd, piece);
    await fs.sync(backup.fd);
  } finally {
    fs.close(backup.fd);
  }
  await syncFolder(fs, folder.path);
  fs.truncate(fd, position.length);
  await fs.datasync(fd);
  const notice =
    `the last ${health.bytes} bytes of session ${folder.id} were an incomplete event and were cut off; ` +
    `they are saved in \`${backup.path}\``;
  return { loaded: { ...loaded, health: { status: 'ok' }, endsOpen: false }, notice };
}
