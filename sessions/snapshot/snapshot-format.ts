import type { StateBase } from '../../src/core/index.js';
import { isJsonObject, isStateBase } from '../../src/core/index.js';
import type { JournalPosition } from '../journal/scan-journal.js';

// Invariants of snapshots, for the files that write and read them:
// N1 A snapshot is a cache: one that does not fit its journal byte for byte, or is of another program, is as good as
//    none (G5). That is found out before anything of it is used.
// N2 Nothing fails because of a snapshot that cannot be read or written.
// N3 The first line holds what is small; the lists stand behind it, and are read when somebody looks at them. Where
//    they cannot be read any more they are folded from the journal again.

export const SNAPSHOT_FORMAT = 'hitl-snapshot';
export const SNAPSHOT_VERSION = 4;

/** A snapshot's lists, in order. */
export const SNAPSHOT_PARTS = ['entries', 'view', 'resolved'] as const;
export type SnapshotPart = (typeof SNAPSHOT_PARTS)[number];

/** Position of a list after the first line, and the SHA-256 of its content. */
export interface PartPlace {
  readonly from: number;
  readonly to: number;
  readonly sum: string;
}

/** The first line of a snapshot. If there is a key, the line ends with a MAC that covers all of it. */
export interface SnapshotHeader {
  readonly format: typeof SNAPSHOT_FORMAT;
  readonly version: typeof SNAPSHOT_VERSION;
  /**
   * The program that wrote the snapshot. A different program may compute a different state from the same
   * records.
   */
  readonly program: string;
  /** The position in the journal, and the checksum of all bytes before that position. */
  readonly journal: JournalPosition & { readonly sum: string };
  /**
   * Identifies the history that was last adopted before that position although it was not written with our
   * key; empty if there is none.
   */
  readonly past: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly base: StateBase;
  readonly parts: Readonly<Partial<Record<SnapshotPart, PartPlace>>>;
}

/** Whether a value is the first line of a snapshot that this program wrote. */
export function isSnapshotHeader(value: unknown, program: string): value is SnapshotHeader {
  if (!isJsonObject(value) || value['format'] !== SNAPSHOT_FORMAT) return false;
  if (value['version'] !== SNAPSHOT_VERSION || value['program'] !== program) return false;
  const { journal, createdAt, updatedAt, base, parts, past } = value;
  if (!isJsonObject(journal) || !isJsonObject(parts) || !isStateBase(base)) return false;
  if (typeof journal['length'] !== 'number' || typeof journal['seq'] !== 'number') return false;
  return [journal['prev'], journal['sum'], past, createdAt, updatedAt].every(
    (text) => typeof text === 'string',
  );
}
