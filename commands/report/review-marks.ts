// Invariants:
// M1 What cannot be read, or what others could have written, marks nothing as seen, and is told.
// M2 A mark counts for the history for which it was made: another record at its place marks nothing.
// M3 The file is replaced in one step; two processes that write at once lose a mark at most.
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { JsonObject, JsonValue, SessionId, Shown, StoredEvent } from '../../src/core/index.js';
import { digestOf, errnoOf, escapeText, isJson, isJsonObject, shown } from '../../src/core/index.js';
import type { Io } from '../host/index.js';
import { replaceFile, stateFolder } from '../host/index.js';
import { hasOnly, ownText } from '../trust/trust-store.js';

/** Marks how much of a session the user has seen. */
export interface ReviewMark {
  /** Number of the last event that the user has seen. */
  readonly seq: number;
  /** Digest of that event. */
  readonly digest: string;
  /**
   * The session's `updatedAt` when the mark was made. If the session still has the same value, nothing is
   * new.
   */
  readonly updatedAt: string;
}

/** Review marks by session, and a problem with their file, if any. */
export interface ReviewMarks {
  readonly marks: ReadonlyMap<string, ReviewMark>;
  readonly problem?: Shown;
}

/** Determines the location of the file with the marks. */
type MarksPlace = Pick<Io, 'env' | 'home'>;

const OTHERS_MAY_USE = 0o077;
/** Maximum number of marks to keep. Marks of the oldest sessions are dropped first. */
const MOST_MARKS = 4_000;

/** Whether the user has marked anything as seen. */
export function hasMarks(io: MarksPlace): boolean {
  return existsSync(marksFile(io));
}

/** Reads the user's review marks. Never throws (M1). */
export async function readMarks(io: MarksPlace): Promise<ReviewMarks> {
  const path = marksFile(io);
  try {
    const marks = marksOf(JSON.parse(await ownText(path, OTHERS_MAY_USE)));
    if (marks !== undefined) return { marks };
  } catch (thrown) {
    if (errnoOf(thrown) === 'ENOENT') return { marks: new Map() };
  }
  return {
    marks: new Map(),
    problem: shown`warning: cannot read ${escapeText(path)}, so no calls are marked as seen`,
  };
}

/** Saves review marks without changing those of other sessions. Throws Node's errors. */
export async function keepMarks(io: MarksPlace, seen: ReadonlyMap<SessionId, ReviewMark>): Promise<void> {
  const { marks } = await readMarks(io);
  const all = [...marks, ...seen].sort(([left], [right]) => (left < right ? -1 : 1));
  const sessions = Object.fromEntries(new Map(all.slice(-MOST_MARKS)));
  const path = marksFile(io);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await replaceFile(path, `${JSON.stringify({ version: 1, sessions })}\n`);
}

/** Creates a mark at the last event of a session. */
export function markOf(last: StoredEvent, updatedAt: string): ReviewMark {
  return { seq: last.seq, digest: digestOfEvent(last), updatedAt };
}

/**
 * Returns the number of the last event that the user has seen; 0 if there is no mark, or if it belongs to a
 * different history (M2).
 */
export function seenUntil(mark: ReviewMark | undefined, events: readonly StoredEvent[]): number {
  const last = events.find(({ seq }) => seq === mark?.seq);
  return mark !== undefined && last !== undefined && isMarked(mark, last) ? mark.seq : 0;
}

/** Whether a mark was made at this event. The digests must also match (M2). */
export function isMarked(mark: ReviewMark, stored: StoredEvent): boolean {
  return mark.seq === stored.seq && mark.digest !== NO_DIGEST && digestOfEvent(stored) === mark.digest;
}

/** Placeholder that never matches the digest of an event. */
const NO_DIGEST = '';

function digestOfEvent({ seq, at, scope, event }: StoredEvent): string {
  const value: unknown = [seq, at, scope, event];
  return isJson(value, 'absent') ? digestOf(value) : NO_DIGEST;
}

/**
 * Returns the marks in a document, or `undefined` if any part of it has a form that hitl does not write (M1).
 */
function marksOf(document: unknown): ReadonlyMap<string, ReviewMark> | undefined {
  if (!isJsonObject(document) || !hasOnly(document, ['version', 'sessions'])) return undefined;
  const { version, sessions } = document;
  if (version !== 1 || !isJsonObject(sessions)) return undefined;
  const entries = Object.entries(sessions);
  return entries.every(isEntry) ? new Map(entries) : undefined;
}

function isEntry(entry: readonly [string, JsonValue]): entry is [string, JsonObject & ReviewMark] {
  const [, value] = entry;
  if (!isJsonObject(value) || !hasOnly(value, ['seq', 'digest', 'updatedAt'])) return false;
  const { seq, digest, updatedAt } = value;
  return Number.isSafeInteger(seq) && typeof digest === 'string' && typeof updatedAt === 'string';
}

function marksFile(io: MarksPlace): string {
  return join(stateFolder(io), 'reviewed.json');
}
