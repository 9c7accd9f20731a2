import { HitlError } from '../src/core/index.js';
import { errnoOf, saveFailed, unreadable } from './errno.js';
import type { FileSystem } from './file-system.js';
import { OPEN } from './file-system.js';
import type { LoadedJournal } from './load-journal.js';
import { openSafely } from './safe-open.js';
import type { JournalHealth } from './scan-journal.js';
import type { SessionFolder } from './session-folder.js';

/** No session of that id. */
export function notFound(id: string): HitlError {
  return new HitlError('SESSION_NOT_FOUND', `no session \`${id}\``, {
    hint: 'see which there are: hitl list',
  });
}

/** A session of that id is there already. */
export function exists(id: string): HitlError {
  return new HitlError('SESSION_EXISTS', `session ${id} exists`, {
    hint: `go on with it: hitl resume ${id}`,
  });
}

/** Refuses to write a session that was opened for reading. @throws HitlError INTERNAL */
export function checkWritable(id: string, mode: 'read' | 'write'): void {
  if (mode === 'write') return;
  throw new HitlError('INTERNAL', `session ${id} is open for reading only`, { hint: 'open it for writing' });
}

function opened(fs: FileSystem, folder: SessionFolder, flags: number, notices: string[]): number | undefined {
  try {
    return openSafely(fs, folder.journal, flags, notices);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return undefined;
    throw flags === OPEN.read
      ? unreadable(`session ${folder.id}`, error)
      : saveFailed(`session ${folder.id}`, error);
  }
}

/** Opens a journal for reading. @throws HitlError SESSION_NOT_FOUND, SESSION_UNREADABLE, SESSION_UNSAFE */
export function openForReading(fs: FileSystem, folder: SessionFolder, notices: string[] = []): number {
  const fd = opened(fs, folder, OPEN.read, notices);
  if (fd === undefined) throw notFound(folder.id);
  return fd;
}

/** Opens a journal for appending. @throws HitlError SESSION_NOT_FOUND, SAVE_FAILED, SESSION_UNSAFE */
export function openForAppending(fs: FileSystem, folder: SessionFolder, notices: string[] = []): number {
  const fd = opened(fs, folder, OPEN.append, notices);
  if (fd === undefined) throw notFound(folder.id);
  return fd;
}

/** True where not even the first record was ever confirmed (P0): nobody was told of such a session. */
export function isUnborn(loaded: LoadedJournal): boolean {
  return loaded.position.seq === 0 && (loaded.health.status === 'ok' || loaded.health.status === 'torn');
}

/** Words for a journal that cannot be gone on with. Codes SESSION_DAMAGED, SESSION_NEWER. */
export function unfit(
  id: string,
  health: JournalHealth & { status: 'damaged' | 'newer' },
  lastGood: number,
): HitlError {
  const { line } = health;
  if (health.status === 'newer') {
    return new HitlError(
      'SESSION_NEWER',
      `session ${id} was written by a newer version (${health.what}, line ${line})`,
      {
        hint: 'install that version to go on with it; reading it works up to there',
        detail: { line, what: health.what, lastGood },
      },
    );
  }
  return new HitlError('SESSION_DAMAGED', `session ${id} is damaged at line ${line}: ${health.why}`, {
    hint: `nothing was changed; to see what can be saved: hitl doctor ${id}`,
    detail: { line, kind: health.kind, lastGood },
  });
}

/** What a reader is told about a journal that is not whole; nothing for a whole one. */
export function readingNotice(id: string, { health, position }: LoadedJournal): string | undefined {
  switch (health.status) {
    case 'ok':
      return undefined;
    case 'torn':
      return `the last ${health.bytes} bytes of session ${id} are not a whole record; they are left out`;
    case 'damaged':
    case 'newer':
      return `${unfit(id, health, position.seq).message}; what is shown ends before it`;
  }
}
