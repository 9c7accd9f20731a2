import type { DamageKind, StoredEvent } from '../../src/core/index.js';
import { messageOf, present } from '../../src/core/index.js';
import { chainOf, decodeLine, endsWithRecord, NO_PREVIOUS, unsealLine } from '../format/codec.js';
import { FORMAT_STEPS } from '../format/format-steps.js';
import type { ForeignPast, Owner } from '../seal/authorship.js';
import { Authorship } from '../seal/authorship.js';
import type { FileSystem } from '../disk/file-system.js';
import type { DecodedLine } from '../format/codec.js';
import type { FormatStep } from '../format/format-steps.js';
import type { Line } from './read-lines.js';
import { readLines } from './read-lines.js';

// Invariants:
// S1 A record counts when its sum, its number and its chain fit; what comes after one that does not is never folded.
// S2 What follows the last record is torn only if no whole line follows it; else it is damage (G3, G4). Bytes without
//    any record before them are damage: they may be what is left of a session.
// S3 Scanning changes nothing on disk.
// S4 With a key, a record that is not ours is no damage: it is foreign, and so is what follows (`../seal/record-seal.ts`).

/** A position in a journal, between two records. */
export interface JournalPosition {
  /** Bytes before it. */
  readonly length: number;
  /** The number of the record before this position; 0 at the start. */
  readonly seq: number;
  /** The chain value at this position: the MAC of the last record, or a hash if it has none. */
  readonly prev: string;
}

export const JOURNAL_START: JournalPosition = { length: 0, seq: 0, prev: NO_PREVIOUS };

/** Whether a journal can be continued. */
export type JournalHealth =
  | { readonly status: 'ok' }
  | { readonly status: 'torn'; readonly bytes: number }
  | {
      readonly status: 'damaged';
      readonly line: number;
      readonly kind: DamageKind;
      readonly why: string;
      /** Number of complete records after the damage, which are cut off from the chain. */
      readonly cutOff: number;
    }
  | { readonly status: 'newer'; readonly line: number; readonly what: string };

export interface JournalScan {
  /** The position after the last good record. */
  readonly position: JournalPosition;
  readonly health: JournalHealth;
  /** Whether the newline after the last good record is missing. */
  readonly endsOpen: boolean;
  /**
   * Valid records at the end that were not written with our key. Absent if our key wrote the last record, or
   * without a key.
   */
  readonly foreign?: ForeignPast;
  /**
   * Identifies the history that was last adopted although it was not written with our key; empty if there is
   * none.
   */
  readonly past: string;
}

export interface ScanOptions {
  /** Start position. Default: the start of the file. */
  readonly from?: JournalPosition;
  /** Bytes from this offset on are ignored. Default: the end of the file. */
  readonly to?: number;
  readonly steps?: readonly FormatStep[];
  /** Distinguishes records written with our key from all others. Default: no distinction is made. */
  readonly owner?: Owner | undefined;
  /** The version of the history that the records before `from` belong to. */
  readonly past?: string;
}

const OK: JournalHealth = { status: 'ok' };

/**
 * Reads records up to the first invalid one, and describes what is wrong with that record.
 * @param visit receives each valid record. If it throws, the record is treated as invalid. Source: README.md,
 * "Recovery".
 */
export function scanJournal(
  fs: FileSystem,
  fd: number,
  visit: (stored: StoredEvent, chain: string) => void,
  options: ScanOptions = {},
): JournalScan {
  const from = options.from?.length ?? 0;
  return scanLines(readLines(fs, fd, { from, to: options.to ?? Infinity }), visit, options);
}

/** Like `scanJournal`, for lines that were already read. The first line is at `options.from`. */
export function scanLines(
  lines: Generator<Line>,
  visit: (stored: StoredEvent, chain: string) => void,
  { from, owner, past = '', steps = FORMAT_STEPS }: ScanOptions = {},
): JournalScan {
  const authorship = owner && new Authorship(owner, past);
  let position = from ?? JOURNAL_START;
  let endsOpen = false;
  let health = OK;
  for (const line of lines) {
    const taken = take(line, position, authorship, { visit, steps });
    if (typeof taken !== 'string') {
      health = settle(taken, position, line, lines);
      break;
    }
    position = { length: line.end, seq: position.seq + 1, prev: taken };
    endsOpen = !line.hasNewline;
  }
  return {
    position,
    health,
    endsOpen,
    ...present({ foreign: authorship?.foreign }),
    past: authorship?.past ?? past,
  };
}

function damaged(position: JournalPosition, kind: DamageKind, why: string): JournalHealth {
  return { status: 'damaged', line: position.seq + 1, kind, why, cutOff: 0 };
}

/**
 * Checks a record and passes it to `visit`. @returns the chain value after the record, or a description of
 * what is wrong with it.
 */
function take(
  line: Line,
  position: JournalPosition,
  authorship: Authorship | undefined,
  {
    visit,
    steps,
  }: {
    readonly visit: (stored: StoredEvent, chain: string) => void;
    readonly steps: readonly FormatStep[];
  },
): string | JournalHealth {
  const decoded = decodeLine(line.bytes, steps);
  const expected = position.seq + 1;
  if (decoded.type === 'bad') return damaged(position, 'bad-line', 'its checksum does not match');
  if (decoded.type === 'newer') return { status: 'newer', line: expected, what: decoded.what };
  const { stored, prev, signed } = decoded;
  if (stored.seq < expected) return damaged(position, 'duplicate', `event ${stored.seq} is repeated`);
  if (stored.seq > expected) return damaged(position, 'gap', `event ${expected} is missing`);
  if (prev !== undefined && prev !== position.prev.slice(0, NO_PREVIOUS.length))
    return damaged(position, 'chain', 'it does not follow from the previous line');
  const chain = signed?.mac ?? chainOf(line.bytes);
  try {
    visit(marked(decoded, position.prev, line.bytes, authorship), chain);
  } catch (error) {
    return damaged(position, 'illegal-event', messageOf(error));
  }
  return chain;
}

/**
 * Returns a function that reads a verified journal again line by line, starting with its first record. It
 * returns `undefined` for a line that is no longer valid.
 */
export function recordReader(
  owner: Owner | undefined,
  steps: readonly FormatStep[] = FORMAT_STEPS,
): (line: Buffer) => StoredEvent | undefined {
  const authorship = owner && new Authorship(owner, '');
  let chain = JOURNAL_START.prev;
  return (line) => {
    const decoded = decodeLine(line, steps);
    if (decoded.type !== 'event') return undefined;
    const stored = marked(decoded, chain, line, authorship);
    chain = decoded.signed?.mac ?? chainOf(line);
    return stored;
  };
}

/** Returns the record, marked if it was not written with our key. */
function marked(
  decoded: DecodedLine & { type: 'event' },
  before: string,
  line: Buffer,
  authorship: Authorship | undefined,
): StoredEvent {
  const { stored } = decoded;
  return authorship?.isForeign(before, line, decoded) === true ? { ...stored, foreign: true } : stored;
}

/**
 * Examines the lines after an invalid line to determine whether the journal is torn or damaged, and whether
 * records are missing or swapped (S2).
 */
function settle(
  health: JournalHealth,
  position: JournalPosition,
  bad: Line,
  rest: Iterable<Line>,
): JournalHealth {
  if (health.status !== 'damaged') return health;
  let end = bad.end;
  let wholeLines = endsWithRecord(bad.bytes) ? 1 : 0;
  let expectedFollows = false;
  for (const line of rest) {
    end = line.end;
    const value = unsealLine(line.bytes);
    if (value === undefined) {
      if (endsWithRecord(line.bytes)) wholeLines += 1;
      continue;
    }
    wholeLines += 1;
    if (value['seq'] === position.seq + 1) expectedFollows = true;
  }
  if (health.kind === 'gap' && expectedFollows) {
    return { ...health, kind: 'swap', why: `event ${position.seq + 1} comes later`, cutOff: wholeLines };
  }
  const isTorn = health.kind === 'bad-line' && wholeLines === 0 && position.seq > 0;
  if (!isTorn) return { ...health, cutOff: wholeLines };
  return { status: 'torn', bytes: end - position.length };
}
