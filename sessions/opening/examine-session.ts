import type { SessionExamination, SessionId, LockOwner } from '../../src/core/index.js';
import { emptyState, evolve, isHitlError, messageOf } from '../../src/core/index.js';
import { checkFacts, isLoose } from '../disk/safe-open.js';
import { OPEN } from '../disk/file-system.js';
import { unreadable } from '../disk/errno.js';
import type { FileSystem } from '../disk/file-system.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import { folderEntries, hasRemains } from '../folder/folder-report.js';
import { sessionFolder } from '../folder/session-folder.js';
import { isEmpty, LOST, unfit } from '../journal/journal-verdict.js';
import { readRange } from '../journal/read-lines.js';
import { scanJournal } from '../journal/scan-journal.js';
import { isOwnerAlive, parseOwner } from '../lock-owner.js';
import { readSnapshot } from '../snapshot/read-snapshot.js';
import type { JournalScan } from '../journal/scan-journal.js';

type Verdict = Pick<SessionExamination, 'status' | 'meaning' | 'remedies' | 'where'>;

/** Examines a session. Problems are returned, not thrown. */
export function examineSession(context: StoreContext, id: SessionId): SessionExamination {
  const folder = sessionFolder(context.root, id);
  const nothing = {
    id,
    path: folder.path,
    records: 0,
    epoch: 0,
    snapshot: 'absent',
    loose: [],
    entries: [],
  } as const;
  try {
    const facts = context.fs.lookUp(folder.path);
    if (facts === undefined) return { ...nothing, ...missing('its folder does not exist') };
    checkFacts(folder.path, facts, 'folder');
    const entries = folderEntries(context.fs, folder);
    const loose = entries.filter(({ mode }) => isLoose(Number.parseInt(mode, 8))).map(({ name }) => name);
    const owner = ownerOf(context, folder);
    return {
      ...nothing,
      ...examineJournal(context, folder),
      ...(owner !== undefined && { owner }),
      loose: isLoose(facts.mode) ? ['.', ...loose] : loose,
      entries,
    };
  } catch (error) {
    const told = isHitlError(error) ? error : unreadable(`session ${id}`, error);
    const remedies = [told.hint].filter((hint) => hint !== undefined);
    return { ...nothing, status: 'unreadable', meaning: messageOf(told), remedies };
  }
}

function missing(why: string): Verdict {
  return { status: 'missing', meaning: `session not found: ${why}`, remedies: ['list sessions: hitl list'] };
}

function examineJournal(
  context: StoreContext,
  folder: SessionFolder,
): Verdict & Pick<SessionExamination, 'records' | 'epoch' | 'snapshot'> {
  const { fs, steps } = context;
  const facts = fs.lookUp(folder.journal);
  const nothing = { records: 0, epoch: 0, snapshot: 'absent' } as const;
  if (facts === undefined) return { ...nothing, ...emptyVerdict(fs, folder, 'it has no journal') };
  checkFacts(folder.journal, facts, 'file');
  const fd = fs.open(folder.journal, OPEN.read, 0);
  try {
    let state = emptyState();
    const scan = scanJournal(fs, fd, ({ event }) => void (state = evolve(state, event)), { steps });
    return {
      ...(isEmpty(scan) ? emptyVerdict(fs, folder, 'its journal is empty') : verdictOf(fs, folder, scan)),
      records: scan.position.seq,
      epoch: state.writer?.epoch ?? 0,
      snapshot: snapshotOf(context, folder, fd),
    };
  } finally {
    fs.close(fd);
  }
}

/**
 * Examines a folder without records. It belongs to an unconfirmed session (P0), or to one that lost all of
 * its records.
 */
function emptyVerdict(fs: FileSystem, folder: SessionFolder, why: string): Verdict {
  if (!hasRemains(fs, folder)) return missing(why);
  return {
    status: 'damaged',
    meaning: unfit(folder.id, LOST, 0).message,
    remedies: remediesWithoutRecords(fs, folder),
  };
}

/** Lists ways to recover a session without valid records. Some of its other files may still exist. */
function remediesWithoutRecords(fs: FileSystem, { id, transcript }: SessionFolder): readonly string[] {
  const backup = 'replace the journal with a copy from a backup';
  const rest = `or remove it: hitl rm ${id}`;
  if (fs.lookUp(transcript) === undefined) return [backup, rest];
  return [
    `hitl import ${transcript} creates a new session from this one's conversation`,
    `or ${backup}`,
    rest,
  ];
}

function verdictOf(fs: FileSystem, folder: SessionFolder, { health, position }: JournalScan): Verdict {
  const { id } = folder;
  const byte = position.length;
  const kept = `the ${position.seq} events before it are valid`;
  switch (health.status) {
    case 'ok':
      return { status: 'ok', meaning: `all ${position.seq} events verified`, remedies: [] };
    case 'torn':
      return {
        status: 'torn',
        meaning: `the last ${health.bytes} bytes are an incomplete event: the write was cut short and never confirmed`,
        remedies: [`hitl resume ${id} moves them to a file next to the journal and continues`],
        where: { line: position.seq + 1, byte },
      };
    case 'damaged':
      return {
        status: 'damaged',
        meaning: `${unfit(id, health, position.seq).message}; ${kept}, and the ${health.cutOff} after it are cut off`,
        remedies:
          position.seq === 0
            ? remediesWithoutRecords(fs, folder)
            : [
                `hitl doctor ${id} --salvage copies the valid events to a new session; this one is unchanged`,
                'or replace the journal with a copy from a backup',
              ],
        where: { line: health.line, byte, kind: health.kind },
      };
    case 'newer':
      return {
        status: 'newer',
        meaning: unfit(id, health, position.seq).message,
        remedies: [`install that version; until then hitl show ${id} shows the earlier events`],
        where: { line: health.line, byte },
      };
  }
}

function snapshotOf(
  context: StoreContext,
  folder: SessionFolder,
  fd: number,
): SessionExamination['snapshot'] {
  if (context.fs.lookUp(folder.snapshot) === undefined) return 'absent';
  return readSnapshot(context, folder, fd, emptyState) === undefined ? 'unfit' : 'fits';
}

const LOCK_TEXT_LENGTH = 4096;

/**
 * Reads from the lock file which process has the session open for writing, or last had it open.
 * @throws Node.js errors
 */
export function ownerOf(context: StoreContext, { lock }: SessionFolder): SessionExamination['owner'] {
  const { fs, processes } = context;
  const owner = ownerIn(fs, lock);
  return owner && { ...owner, isAlive: isOwnerAlive(owner, processes) ?? null };
}

function ownerIn(fs: FileSystem, file: string): LockOwner | undefined {
  const facts = fs.lookUp(file);
  if (facts?.kind !== 'file' || facts.size === 0) return undefined;
  const fd = fs.open(file, OPEN.read, 0);
  try {
    return parseOwner(readRange(fs, fd, { from: 0, to: LOCK_TEXT_LENGTH }).toString('utf8'));
  } finally {
    fs.close(fd);
  }
}
