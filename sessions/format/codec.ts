import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

import type { JsonObject, NodePath, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { isDeeperThan, isJsonObject, MAX_DEPTH, ROOT_PATH } from '../../src/core/index.js';
import { MAC_LENGTH } from '../seal/record-seal.js';
import { isKnownEvent } from './known-events.js';
import type { FormatStep } from './format-steps.js';
import { FORMAT_STEPS, FORMAT_VERSION, migrate } from './format-steps.js';

/** The chain before a first line. */
export const NO_PREVIOUS = '0'.repeat(16);

const NEWLINE = '\n';
const TAIL = /^,"sum":"[0-9a-f]{8}"\}$/;
const TAIL_START = ',"sum":"';
const TAIL_LENGTH = ',"sum":"00000000"}'.length;
const MAC_START = ',"mac":"';
/** Length of the part before the checksum in a line with a MAC. */
const MAC_PART = MAC_START.length + MAC_LENGTH + 1;

/** Levels of a record around the values that people, models and tools gave: more was never written (G8). */
const MOST_LEVELS = MAX_DEPTH + 16;

/** A checksum as 8 hex digits. */
export function sumText(crc: number): string {
  return crc.toString(16).padStart(8, '0');
}

/** Checksum of bytes, or of a text as UTF-8, as 8 hex digits. */
function sumOf(content: Uint8Array | string): string {
  return sumText(crc32(content));
}

/** Closes a line over the text before its sum; the newline is included. */
export function sealLine(body: string): Buffer {
  return Buffer.from(`${body}${TAIL_START}${sumOf(body)}"}${NEWLINE}`);
}

/** Makes the mac of a record's bytes. */
export type Sign = (body: Buffer) => string;

/** A line with its newline, and its MAC. */
export interface SignedLine {
  readonly line: Buffer;
  readonly mac: string;
}

/** Ends a line like `sealLine`, with a MAC over its content. */
export function signLine(body: string, sign: Sign): SignedLine {
  const length = Buffer.byteLength(body);
  const line = Buffer.allocUnsafe(length + MAC_PART + TAIL_LENGTH + NEWLINE.length);
  line.write(body);
  const mac = sign(line.subarray(0, length));
  const end = length + line.write(`${MAC_START}${mac}"`, length, 'latin1');
  line.write(`${TAIL_START}${sumOf(line.subarray(0, end))}"}${NEWLINE}`, end, 'latin1');
  return { line, mac };
}

/** The mac of a line, and the number of bytes it covers. */
export interface LineMac {
  readonly mac: string;
  readonly length: number;
}

/** Returns a line's MAC; `undefined` without one. @param line without its newline. */
export function macIn(line: Buffer): LineMac | undefined {
  const length = line.length - TAIL_LENGTH - MAC_PART;
  return length < 1 ? undefined : macOf(line.toString('latin1', length), length);
}

/** @param end the line's text from its MAC on, if it has one */
function macOf(end: string, length: number): LineMac | undefined {
  if (!end.startsWith(MAC_START)) return undefined;
  const mac = end.slice(MAC_START.length, MAC_START.length + MAC_LENGTH);
  return end.startsWith(`"${TAIL_START}`, MAC_PART - 1) ? { mac, length } : undefined;
}

/**
 * Parses a line with a valid checksum; `undefined` for anything else.
 * @param line without its newline.
 */
export function unsealLine(line: Buffer): JsonObject | undefined {
  return isSealed(line) ? objectIn(line.toString('utf8')) : undefined;
}

function isSealed(line: Buffer): boolean {
  return isSummed(line, line.toString('latin1', Math.max(0, line.length - TAIL_LENGTH)));
}

/** @param tail the end of the line as text, from its sum on */
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
 * Whether an invalid line ends in a whole record: then the newline before that record was destroyed, not its
 * write cut short.
 * @param line without its newline.
 */
export function endsWithRecord(line: Buffer): boolean {
  for (let at = line.indexOf(TAIL_START); at !== -1; at = line.indexOf(TAIL_START, at + 1)) {
    if (unsealLine(line.subarray(at + TAIL_LENGTH + NEWLINE.length)) !== undefined) return true;
  }
  return false;
}

/** Returns the chain after a line without a MAC. @param line without its newline. */
export function chainOf(line: Uint8Array): string {
  return hash('sha256', line, 'hex').slice(0, NO_PREVIOUS.length);
}

/** An event as a line with its newline, and the chain after it. */
export interface EncodedLine {
  readonly line: Buffer;
  readonly chain: string;
}

/**
 * Encodes an event as one line. With a key it has a MAC that covers the previous chain; without one it
 * contains that chain, against accidents.
 * @param before the previous chain.
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
      /** The format that it was written in. */
      readonly version: number;
      /** Previous chain, if the line contains it: one with a MAC does not. */
      readonly prev: string | undefined;
      /** Its mac. */
      readonly signed: LineMac | undefined;
    }
  /** Whole, and written by a later version: of the format, or with an event that this version does not know. */
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
 * Whether enough brackets open for too many levels: decides most records without parsing them, and without
 * looking at each byte.
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
