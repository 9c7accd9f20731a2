import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import type { JsonObject, NodePath, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { isDeeperThan, isJsonObject, MAX_DEPTH } from '../../src/core/index.js';
import { ROOT_PATH } from '../../src/core/index.js';
import { isKnownEvent } from './known-events.js';
import type { FormatStep } from './migrate.js';
import { FORMAT_STEPS, FORMAT_VERSION, migrate } from './migrate.js';

/** The `prev` of a first line. */
export const NO_PREVIOUS = '0'.repeat(16);

const NEWLINE = '\n';
const TAIL = /^,"sum":"([0-9a-f]{8})"\}$/;
const TAIL_START = ',"sum":"';
const TAIL_LENGTH = ',"sum":"00000000"}'.length;

/** Levels of a record around the values that people, models and tools gave: more was never written (G8). */
const MOST_LEVELS = MAX_DEPTH + 16;

/** A checksum as 8 hex digits. */
export function sumText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** The checksum of bytes, or of a text as UTF-8, as 8 hex digits. */
function sumOf(content: Uint8Array | string): string {
  return sumText(crc32(content));
}

/** Closes a line over the text before its sum; the newline is included. */
export function sealLine(body: string): Buffer {
  return Buffer.from(`${body}${TAIL_START}${sumOf(body)}"}${NEWLINE}`);
}

/**
 * The object of a line whose checksum fits; `undefined` for anything else.
 * @param line without its newline.
 */
export function unsealLine(line: Buffer): JsonObject | undefined {
  return isSealed(line) ? objectIn(line.toString('utf8')) : undefined;
}

function isSealed(line: Buffer): boolean {
  const end = line.length - TAIL_LENGTH;
  const sum = end > 0 ? TAIL.exec(line.toString('latin1', end))?.[1] : undefined;
  return sum !== undefined && Number.parseInt(sum, 16) === crc32(line.subarray(0, end));
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined; // not JSON: as bad as a wrong sum
  }
}

/**
 * True for a bad line that ends in a whole record: the newline before that one was destroyed, not its write cut short.
 * @param line without its newline.
 */
export function endsWithRecord(line: Buffer): boolean {
  for (let at = line.indexOf(TAIL_START); at !== -1; at = line.indexOf(TAIL_START, at + 1)) {
    if (unsealLine(line.subarray(at + TAIL_LENGTH + NEWLINE.length)) !== undefined) return true;
  }
  return false;
}

/** Gives the `prev` of the next line. @param line without its newline. */
export function chainOf(line: Uint8Array): string {
  return hash('sha256', line, 'hex').slice(0, NO_PREVIOUS.length);
}

/** One event as one line, newline included. */
export function encodeLine(stored: StoredEvent): Buffer {
  const { v, seq, prev, at, scope, event } = stored;
  return sealLine(JSON.stringify({ v, seq, prev, at, scope, event }).slice(0, -1));
}

/** A line as it turned out to be. */
export type DecodedLine =
  | { readonly type: 'event'; readonly stored: StoredEvent }
  /** Whole, and written by a later version: of the format, or with an event that this version does not know. */
  | { readonly type: 'newer'; readonly what: string }
  | { readonly type: 'bad' };

interface Envelope {
  readonly seq: number;
  readonly prev: string;
  readonly at: string;
  readonly scope: NodePath;
  readonly event: JsonObject & { readonly type: string };
}

function isEnvelope(value: unknown): value is Envelope {
  if (!isJsonObject(value)) return false;
  const { seq, prev, at, scope, event } = value;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return false;
  if (typeof prev !== 'string' || typeof at !== 'string' || typeof scope !== 'string') return false;
  return isJsonObject(event) && typeof event['type'] === 'string';
}

function isEvent(event: unknown): event is SessionEvent {
  return isJsonObject(event) && isKnownEvent(event['type']);
}

/**
 * True where enough opens for too many levels, of one kind or the other: most records are told apart without a look at
 * their values, and without one at each of their bytes.
 */
function hasManyLevels(text: string): boolean {
  return hasMore(text, '{', MOST_LEVELS / 2) || hasMore(text, '[', MOST_LEVELS / 2);
}

function hasMore(text: string, sign: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) {
    count += 1;
    if (count > most) return true;
  }
  return false;
}

/** The bytes of a line as an event, with older formats brought up to date. @param line without its newline. */
export function decodeLine(line: Buffer, steps: readonly FormatStep[] = FORMAT_STEPS): DecodedLine {
  const text = isSealed(line) ? line.toString('utf8') : '';
  const raw = objectIn(text);
  const version = raw?.['v'];
  if (raw === undefined || typeof version !== 'number' || !Number.isSafeInteger(version))
    return { type: 'bad' };
  if (hasManyLevels(text) && isDeeperThan(raw, MOST_LEVELS)) return { type: 'bad' };
  if (version > FORMAT_VERSION) return { type: 'newer', what: `format ${version}` };
  const value = migrate(raw, version, steps);
  if (!isEnvelope(value)) return { type: 'bad' };
  const { seq, prev, at, scope, event } = value;
  if (!isEvent(event)) return { type: 'newer', what: `event \`${event.type}\`` };
  // The event says where it was as well: a fold needs nothing but the events.
  const placed = scope === ROOT_PATH ? event : { ...event, scope };
  return { type: 'event', stored: { v: FORMAT_VERSION, seq, prev, at, scope, event: placed } };
}
