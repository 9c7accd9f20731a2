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

/** The valid part of a journal, folded. */
export interface LoadedJournal extends JournalScan {
  readonly state: RunState;
  /** ISO 8601: when the first and the last record were written; empty without records. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Chain after the requested record; absent if it was not read. */
  readonly chainAt?: string;
  /** The number of records in the snapshot that was used; 0 where none was. */
  readonly snapshotSeq: number;
}

type Folded = Pick<LoadedJournal, 'state' | 'createdAt' | 'updatedAt'>;

/** A fold that continues another. */
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
 * Reads and folds a journal, linear in its size; with a matching snapshot, only what was appended since.
 * Throws Node's errors.
 * @param end a record whose chain is wanted: a later snapshot is not used.
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
 * Folds existing journal lines, from the first. @param seen gets each record
 * @param owner distinguishes own from foreign records
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

/** The lines of a whole journal, folded, with every record of it. */
export interface CheckedLines {
  readonly loaded: LoadedJournal;
  readonly stored: readonly StoredEvent[];
}

/**
 * Verifies lines like those of a file, each without its newline. @throws HitlError SESSION_DAMAGED,
 * SESSION_NEWER
 */
export function checkedLines(id: SessionId, lines: readonly Uint8Array[]): CheckedLines {
  const stored: StoredEvent[] = [];
  const loaded = foldLines(linesOf(lines), (one) => void stored.push(one));
  const { health, position } = loaded;
  if (health.status === 'damaged' || health.status === 'newer') throw unfit(id, health, position.seq);
  const isWhole = health.status === 'ok' && position.seq > 0 && !lines.some((line) => line.includes(NEWLINE));
  if (isWhole) return { loaded, stored };
  throw unfit(id, { ...LOST, line: position.seq + 1, why: 'it is not a whole journal' }, position.seq);
}

const NEWLINE = 0x0a;

/** Yields lines as in a file. */
export function* linesOf(lines: Iterable<Uint8Array>): Generator<Line> {
  let offset = 0;
  for (const line of lines) {
    const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
    const end = offset + bytes.length + 1;
    yield { bytes, offset, end, hasNewline: true };
    offset = end;
  }
}

/** The state at a length of the journal, from its first record on. */
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
