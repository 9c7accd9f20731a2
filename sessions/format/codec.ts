import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import type { JsonObject, NodePath, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { isDeeperThan, isJsonObject, MAX_DEPTH, ROOT_PATH } from '../../src/core/index.js';
import { MAC_LENGTH } from '../seal/record-seal.js';
import { isKnownEvent } from './known-events.js';
import type { FormatStep } from './format-steps.js';
import { FORMAT_STEPS, FORMAT_VERSION, migrate } from './format-steps.js';

/** The chain value before the first line. */
export const NO_PREVIOUS = '0'.repeat(16);

const NEWLINE = '\n';
const TAIL = /^,"sum":"[0-9a-f]{8}"\}$/;
const TAIL_START = ',"sum":"';
const TAIL_LENGTH = ',"sum":"00000000"}'.length;
const MAC_START = ',"mac":"';
/** Length of the part between the content and the checksum in a line with a MAC. */
const MAC_PART = MAC_START.length + MAC_LENGTH + 1;

/**
 * Maximum nesting depth of a record, including values from people, models and tools. Deeper records are never
 * written (G8).
 */
const MOST_LEVELS = MAX_DEPTH + 16;

/** Formats a checksum as 8 hex digits. */
export function sumText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Returns the checksum of bytes or of a string in UTF-8, as 8 hex digits. */
function sumOf(content: Uint8Array | string): string {
  return sumText(crc32(content));
}

/** Completes a line with its checksum and a newline. */
export function sealLine(body: string): Buffer {
  return Buffer.from(`${body}${TAIL_START}${sumOf(body)}"}${NEWLINE}`);
}

/** Returns the MAC for the bytes of a record. */
export type Sign = (body: Buffer) => string;

/** A line including its newline, and its MAC. */
export interface SignedLine {
  readonly line: Buffer;
  readonly mac: string;
}

/** Completes a line like `sealLine`, with a MAC over its content. */
export function signLine(body: string, sign: Sign): SignedLine {
  const length = Buffer.byteLength(body);
  const line = Buffer.allocUnsafe(length + MAC_PART + TAIL_LENGTH + NEWLINE.length);
  line.write(body);
  const mac = sign(line.subarray(0, length));
  const end = length + line.write(`${MAC_START}${mac}"`, length, 'latin1');
  line.write(`${TAIL_START}${sumOf(line.subarray(0, end))}"}${NEWLINE}`, end, 'latin1');
  return { line, mac };
}

/** The MAC of a line, and the number of bytes it covers. */
export interface LineMac {
  readonly mac: string;
  readonly length: number;
}

/** Returns the MAC of a line; `undefined` if it has none. @param line without its newline. */
export function macIn(line: Buffer): LineMac | undefined {
  const length = line.length - TAIL_LENGTH - MAC_PART;
  return length < 1 ? undefined : macOf(line.toString('latin1', length), length);
}

/** @param end the text of the line starting at its MAC, if it has one */
function macOf(end: string, length: number): LineMac | undefined {
  if (!end.startsWith(MAC_START)) return undefined;
  const mac = end.slice(MAC_START.length, MAC_START.length + MAC_LENGTH);
  return end.startsWith(`"${TAIL_START}`, MAC_PART - 1) ? { mac, length } : undefined;
}

/**
 * Parses a line whose checksum is valid; returns `undefined` for any other line.
 * @param line without its newline.
 */
export function unsealLine(line: Buffer): JsonObject | undefined {
  return isSealed(line) ? objectIn(line.toString('utf8')) : undefined;
}

function isSealed(line: Buffer): boolean {
  return isSummed(line, line.toString('latin1', Math.max(0, line.length - TAIL_LENGTH)));
}

/** @param tail the end of the line as text, starting at its checksum */
function isSummed(line: Buffer, tail: string): boolean {
  const end = line.length - TAIL_LENGTH;
  if (end <= 0 || !TAIL.test(tail)) return false;
  const sum = tail.slice(TAIL_START.length, -2);
  return Number.parseInt(sum, 16) === crc32(line.subarray(0, end));
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
 * Whether an invalid line ends with a complete record. If so, the newline before that record was destroyed.
 * Otherwise, the line may have been cut off while it was being written.
 * @param line without its newline.
 */
export function endsWithRecord(line: Buffer): boolean {
  for (let at = line.indexOf(TAIL_START); at !== -1; at = line.indexOf(TAIL_START, at + 1)) {
    if (unsealLine(line.subarray(at + TAIL_LENGTH + NEWLINE.length)) !== undefined) return true;
  }
  return false;
}

/** Returns the chain value after a line without a MAC. @param line without its newline. */
export function chainOf(line: Uint8Array): string {
  return hash('sha256', line, 'hex').slice(0, NO_PREVIOUS.length);
}

/** An event encoded as a line with its newline, and the chain value after it. */
export interface EncodedLine {
  readonly line: Buffer;
  readonly chain: string;
}

/**
 * Encodes an event as one line. With a key, the line has a MAC that covers the previous chain value. Without
 * a key, the line contains that chain value, which detects only accidental changes.
 * @param before the previous chain value.
 */
export function encodeLine(
  { v, seq, at, scope, event }: Pick<StoredEvent, 'v' | 'seq' | 'at' | 'scope' | 'event'>,
  before: string,
  sign?: Sign,
): EncodedLine {
  if (sign !== undefined) {
    const { line, mac } = signLine(JSON.stringify({ v, seq, at, scope, event }).slice(0, -1), sign);
    return { line, chain: mac };
  }
  const prev = before.slice(0, NO_PREVIOUS.length);
  const line = sealLine(JSON.stringify({ v, seq, prev, at, scope, event }).slice(0, -1));
  return { line, chain: chainOf(line.subarray(0, -1)) };
}

/** A decoded line. */
export type DecodedLine =
  | {
      readonly type: 'event';
      readonly stored: StoredEvent;
      /** The format in which the line was written. */
      readonly version: number;
      /** The previous chain value, if the line contains it. A line with a MAC does not. */
      readonly prev: string | undefined;
      /** Its mac. */
      readonly signed: LineMac | undefined;
    }
  /**
   * `newer`: a complete line written by a later version, in a newer format or with an event that this version
   * does not know.
   */
  | { readonly type: 'newer'; readonly what: string }
  | { readonly type: 'bad' };

interface Envelope {
  readonly seq: number;
  readonly prev?: string;
  readonly at: string;
  readonly scope: NodePath;
  readonly event: JsonObject & { readonly type: string };
}

function isEnvelope(value: unknown): value is Envelope {
  if (!isJsonObject(value)) return false;
  const { seq, prev, at, scope, event } = value;
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) return false;
  if ((prev !== undefined && typeof prev !== 'string') || typeof at !== 'string' || typeof scope !== 'string')
    return false;
  return isJsonObject(event) && typeof event['type'] === 'string';
}

function isEvent(event: unknown): event is SessionEvent {
  return isJsonObject(event) && isKnownEvent(event['type']);
}

/**
 * Whether the text has enough opening brackets to exceed the maximum depth. For most records, this quick
 * check makes it unnecessary to walk the parsed value.
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

/** Decodes the bytes of a line as an event. Converts older formats. @param line without its newline. */
export function decodeLine(line: Buffer, steps: readonly FormatStep[] = FORMAT_STEPS): DecodedLine {
  const text = line.toString('utf8'); // its end, where a sum is, has one byte a character
  const raw = isSummed(line, text.slice(-TAIL_LENGTH)) ? objectIn(text) : undefined;
  const version = raw?.['v'];
  if (raw === undefined || typeof version !== 'number' || !Number.isSafeInteger(version))
    return { type: 'bad' };
  if (hasManyLevels(text) && isDeeperThan(raw, MOST_LEVELS)) return { type: 'bad' };
  if (version > FORMAT_VERSION) return { type: 'newer', what: `format ${version}` };
  const value = migrate(raw, version, steps);
  if (!isEnvelope(value)) return { type: 'bad' };
  const { seq, prev, at, scope, event } = value;
  const signed =
    version === FORMAT_VERSION
      ? macOf(text.slice(-MAC_PART - TAIL_LENGTH), line.length - MAC_PART - TAIL_LENGTH)
      : undefined;
  if (signed === undefined && prev === undefined) return { type: 'bad' };
  if (!isEvent(event)) return { type: 'newer', what: `event \`${event.type}\`` };
  // The event says where it was as well: a fold needs nothing but the events.
  const placed = scope === ROOT_PATH ? event : { ...event, scope };
  const stored = { v: FORMAT_VERSION, seq, at, scope, event: placed } as const;
  return { type: 'event', stored, version, prev, signed };
}
