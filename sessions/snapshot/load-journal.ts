import type { RunState, SessionId, StoredEvent } from '../../src/core/index.js';
import { emptyState, evolve, present } from '../../src/core/index.js';
import { JOURNAL_START, scanJournal, scanLines } from '../journal/scan-journal.js';
import { LOST, unfit } from '../journal/journal-verdict.js';
import { openForReading } from '../journal/open-journal.js';
import { readSnapshot } from './read-snapshot.js';
import type { JournalScan, ScanOptions } from '../journal/scan-journal.js';
import type { Line } from '../journal/read-lines.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import type { Owner } from '../seal/authorship.js';

/** The valid part of a journal, and the resulting state. */
export interface LoadedJournal extends JournalScan {
  readonly state: RunState;
  /** ISO 8601 timestamps of the first and the last record; empty if there are no records. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The chain value after the requested record. Absent if that record was not read. */
  readonly chainAt?: string;
  /** Number of records covered by the snapshot that was used; 0 if none was used. */
  readonly snapshotSeq: number;
}

type Folded = Pick<LoadedJournal, 'state' | 'createdAt' | 'updatedAt'>;

/** Computes the state record by record, starting with an earlier state. */
interface Fold {
  readonly visit: (stored: StoredEvent) => void;
  readonly result: () => Folded;
}

function foldFrom(start: Folded): Fold {
  let { state, createdAt, updatedAt } = start;
  return {
    visit: ({ event, at }) => {
      state = evolve(state, event);
      if (createdAt === '') createdAt = at;
      updatedAt = at;
    },
    result: () => ({ state, createdAt, updatedAt }),
  };
}

const NOTHING = {
  position: JOURNAL_START,
  state: emptyState(),
  createdAt: '',
  updatedAt: '',
  past: '',
};

/**
 * Reads a journal and computes the resulting state, in time linear in the journal's size. If there is a
 * matching snapshot, reads only the records appended since. Throws Node.js errors.
 * @param end a record whose chain value is needed. A snapshot taken after it is not used.
 */
export function loadJournal(
  context: StoreContext,
  folder: SessionFolder,
  fd: number,
  end?: number,
): LoadedJournal {
  const found = readSnapshot(context, folder, fd, (length) => refold(context, folder, length));
  const snapshot = found !== undefined && found.position.seq <= (end ?? Infinity) ? found : undefined;
  const start = snapshot ?? NOTHING;
  const { visit, result } = foldFrom(start);
  let chainAt = start.position.seq === end ? start.position.prev : undefined;
  const options: ScanOptions = {
    from: start.position,
    past: start.past,
    steps: context.steps,
    owner: context.owner(folder.id),
  };
  const see = (stored: StoredEvent, chain: string): void => {
    visit(stored);
    if (stored.seq === end) chainAt = chain;
  };
  const scan = scanJournal(context.fs, fd, see, options);
  return { ...scan, ...result(), ...present({ chainAt }), snapshotSeq: start.position.seq };
}

/**
 * Computes the state from journal lines that were already read, starting with the first line.
 * @param seen receives each record
 * @param owner distinguishes records written with our key from all others
 */
export function foldLines(
  lines: Generator<Line>,
  seen: (stored: StoredEvent) => void = () => undefined,
  owner?: Owner,
): LoadedJournal {
  const { visit, result } = foldFrom(NOTHING);
  const see = (stored: StoredEvent): void => {
    visit(stored);
    seen(stored);
  };
  const scan = scanLines(lines, see, { owner });
  return { ...scan, ...result(), snapshotSeq: 0 };
}

/** All lines of a journal, with the resulting state and the records. */
export interface CheckedLines {
  readonly loaded: LoadedJournal;
  readonly stored: readonly StoredEvent[];
}

/**
 * Verifies lines without newlines in the same way as the lines of a file. @throws HitlError SESSION_DAMAGED,
 * SESSION_NEWER
 */
export function checkedLines(id: SessionId, lines: readonly Uint8Array[]): CheckedLines {
  const stored: StoredEvent[] = [];
  const loaded = foldLines(linesOf(lines), (one) => void stored.push(one));
  const { health, position } = loaded;
  if (health.status === 'damaged' || health.status === 'newer') throw unfit(id, health, position.seq);
  const isWhole = health.status === 'ok' && position.seq > 0 && !lines.some((line) => line.includes(NEWLINE));
  if (isWhole) return { loaded, stored };
  throw unfit(id, { ...LOST, line: position.seq + 1, why: 'it is not a complete journal' }, position.seq);
}

const NEWLINE = 0x0a;

/** Yields lines with their offsets, as if they had been read from a file. */
export function* linesOf(lines: Iterable<Uint8Array>): Generator<Line> {
  let offset = 0;
  for (const line of lines) {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
    const end = offset + bytes.length + 1;
    yield { bytes, offset, end, hasNewline: true };
    offset = end;
  }
}

/** Returns the state at a given length of the journal, computed again from the first record. */
function refold(context: StoreContext, folder: SessionFolder, to: number): RunState {
  const fd = openForReading(context.fs, folder);
  try {
    const { visit, result } = foldFrom(NOTHING);
    scanJournal(context.fs, fd, visit, { to, steps: context.steps });
    return result().state;
  } finally {
    context.fs.close(fd);
  }
}
