import type { RunState, SessionId } from '../../src/core/index.js';
import {
  areEntries,
  areMessages,
  areResolved,
  invariant,
  sha256,
  stateFromJson,
  stateToJson,
} from '../../src/core/index.js';
import { macIn, NO_PREVIOUS, unsealLine } from '../format/codec.js';
import type { FileSystem } from '../disk/file-system.js';
import { OPEN } from '../disk/file-system.js';
import { openSafely } from '../disk/safe-open.js';
import type { ByteRange } from '../journal/read-lines.js';
import type { JournalPosition } from '../journal/scan-journal.js';
import { readLines, readRange, sumOfFile } from '../journal/read-lines.js';
import type { SessionFolder } from '../folder/session-folder.js';
import type { StoreContext } from '../folder/store-options.js';
import type { SnapshotHeader, SnapshotPart } from './snapshot-format.js';
import { isSnapshotHeader } from './snapshot-format.js';

/** The state at a position in the journal. */
export interface Snapshot {
  readonly position: JournalPosition;
  readonly state: RunState;
  /** ISO 8601 timestamps of the first and the last record before that position. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /**
   * Identifies the history that was last adopted before that position although it was not written with our
   * key; empty if there is none.
   */
  readonly past: string;
}

/** The first line of a snapshot, and the offset at which the snapshot's lists start. */
interface Found {
  readonly header: SnapshotHeader;
  readonly end: number;
}

/**
 * Returns the snapshot of a session if it matches the journal; otherwise `undefined`. Never throws.
 * @param fd the journal.
 * @param refold computes the state again from the start of the journal up to a length, for lists that have
 * become unreadable (N3 of `snapshot-format.ts`).
 */
export function readSnapshot(
  context: StoreContext,
  folder: SessionFolder,
  fd: number,
  refold: (length: number) => RunState,
): Snapshot | undefined {
  const { fs } = context;
  try {
    const found = readHeader(context, folder);
    if (found === undefined) return undefined;
    const { journal, createdAt, updatedAt, past } = found.header;
    const { length, seq, prev, sum } = journal;
    if (fs.factsOf(fd).size < length || sumOfFile(fs, fd, length) !== sum) return undefined; // N1 of `snapshot-format.ts`
    const state = lazyState(fs, folder.snapshot, found, () => refold(length));
    return { position: { length, seq, prev }, state, createdAt, updatedAt, past };
  } catch {
    return undefined; // N2 of `snapshot-format.ts`
  }
}

function readHeader(context: StoreContext, { id, snapshot }: SessionFolder): Found | undefined {
  const { fs, program } = context;
  if (fs.lookUp(snapshot) === undefined) return undefined;
  const fd = openSafely(fs, snapshot, OPEN.read, []);
  try {
    const first = readLines(fs, fd, { from: 0 }).next();
    if (first.done === true || !isOurs(context, id, first.value.bytes)) return undefined;
    const header = unsealLine(first.value.bytes);
    return isSnapshotHeader(header, program) ? { header, end: first.value.end } : undefined;
  } finally {
    fs.close(fd);
  }
}

/**
 * Whether a snapshot was signed with the store's key. The approvals in a snapshot without a valid MAC cannot
 * be trusted.
 */
function isOurs(context: StoreContext, id: SessionId, line: Buffer): boolean {
  const seal = context.owner(id)?.seal;
  if (seal === undefined) return true;
  const signed = macIn(line);
  return signed !== undefined && seal.made(signed, { kind: 'snapshot', id, before: NO_PREVIOUS }, line);
}

function lazyState(fs: FileSystem, file: string, found: Found, refold: () => RunState): RunState {
  const { base, parts } = found.header;
  const read = partReader(fs, file, found);
  let again: RunState | undefined;
  const folded = (): RunState => (again ??= refold());
  return stateFromJson(base, {
    entries: () => read('entries', areEntries) ?? entriesOf(folded()),
    ...(parts.view && { view: () => read('view', areMessages) ?? folded().view.toArray() }),
    resolved: () => read('resolved', areResolved) ?? folded().resolved.toArray(),
  });
}

/**
 * Returns a function that reads a list from a snapshot. The function returns `undefined` if the list does not
 * match the checksum in the first line.
 */
function partReader(
  fs: FileSystem,
  file: string,
  { header, end }: Found,
): <T>(name: SnapshotPart, isList: (value: unknown) => value is T) => T | undefined {
  return (name, isList) => {
    const place = header.parts[name];
    if (place === undefined) return undefined;
    try {
      const bytes = readPart(fs, file, { from: end + place.from, to: end + place.to });
      if (sha256(bytes) !== place.sum) return undefined;
      const value: unknown = JSON.parse(bytes.toString('utf8'));
      return isList(value) ? value : undefined;
    } catch {
      return undefined; // N3 of `snapshot-format.ts`
    }
  };
}

function readPart(fs: FileSystem, file: string, range: ByteRange): Buffer {
  const fd = openSafely(fs, file, OPEN.read, []);
  try {
    return readRange(fs, fd, range);
  } finally {
    fs.close(fd);
  }
}

function entriesOf(state: RunState): NonNullable<ReturnType<typeof stateToJson>>['entries'] {
  const json = stateToJson(state);
  invariant(json !== undefined, 'a folded state can be written as JSON');
  return json.entries;
}
