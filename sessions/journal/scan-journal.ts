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

/** A position between two records. */
export interface JournalPosition {
  /** Bytes before it. */
  readonly length: number;
  /** The number of the record before it; 0 at the start. */
  readonly seq: number;
  /** Chain up to here: the last record's MAC, or a hash if it has none. */
  readonly prev: string;
}

export const JOURNAL_START: JournalPosition = { length: 0, seq: 0, prev: NO_PREVIOUS };

/** Whether a journal can be gone on with. */
export type JournalHealth =
  | { readonly status: 'ok' }
  | { readonly status: 'torn'; readonly bytes: number }
  | {
      readonly status: 'damaged';
      readonly line: number;
      readonly kind: DamageKind;
      readonly why: string;
      /** Complete records after it, which are no longer connected. */
      readonly cutOff: number;
    }
  | { readonly status: 'newer'; readonly line: number; readonly what: string };

export interface JournalScan {
  /** After the last good record. */
  readonly position: JournalPosition;
  readonly health: JournalHealth;
  /** The last good record lacks its newline. */
  readonly endsOpen: boolean;
  /** Valid foreign records at the end; absent if the last one is ours, and without a key. */
  readonly foreign?: ForeignPast;
  /** Identifies the last adopted foreign past; empty without any. */
  readonly past: string;
}

export interface ScanOptions {
  /** Default: the start of the file. */
  readonly from?: JournalPosition;
  /** Bytes from here on are ignored. Default: end of the file. */
  readonly to?: number;
  readonly steps?: readonly FormatStep[];
  /** Distinguishes our records from foreign ones. Default: none is foreign. */
  readonly owner?: Owner | undefined;
  /** The past in which the records before `from` were written. */
  readonly past?: string;
}

const OK: JournalHealth = { status: 'ok' };

/**
 * Reads records up to the first invalid one, and describes its fault.
 * @param visit gets each valid record; if it throws, the record is invalid. Source: README.md, "Recovery".
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

/** Like `scanJournal`, for existing lines, the first of which is at `options.from`. */
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

/** Adds a record. @returns the chain after it, or its fault. */
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
  if (decoded.type === 'bad') return damaged(position, 'bad-line', 'its checksum does not fit');
  if (decoded.type === 'newer') return { status: 'newer', line: expected, what: decoded.what };
  const { stored, prev, signed } = decoded;
  if (stored.seq < expected) return damaged(position, 'duplicate', `event ${stored.seq} is repeated`);
  if (stored.seq > expected) return damaged(position, 'gap', `event ${expected} is missing`);
  if (prev !== undefined && prev !== position.prev.slice(0, NO_PREVIOUS.length))
    return damaged(position, 'chain', 'it does not continue the line before it');
  const chain = signed?.mac ?? chainOf(line.bytes);
  try {
    visit(marked(decoded, position.prev, line.bytes, authorship), chain);
  } catch (error) {
    return damaged(position, 'illegal-event', messageOf(error));
  }
  return chain;
}

/** Re-reads a verified journal line by line from its first record; `undefined` for a changed line. */
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

/** Marks a record as foreign if it is. */
function marked(
  decoded: DecodedLine & { type: 'event' },
  before: string,
  line: Buffer,
  authorship: Authorship | undefined,
): StoredEvent {
  const { stored } = decoded;
  return authorship?.isForeign(before, line, decoded) === true ? { ...stored, foreign: true } : stored;
}

/** Examines what follows an invalid line, to distinguish torn from damaged, and a gap from a swap (S2). */
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
