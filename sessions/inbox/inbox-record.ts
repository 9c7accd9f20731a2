import type { Answer, JsonObject } from '../../src/core/index.js';
import { isJsonObject } from '../../src/core/index.js';
import { macIn, NO_PREVIOUS, sealLine, signLine, unsealLine } from '../format/codec.js';
import type { Owner } from '../seal/authorship.js';
import type { MessageRecord } from './message-record.js';
import { isMessageRecord } from './message-record.js';

/** A line in an inbox. */
export type InboxRecord =
  | MessageRecord
  | {
      readonly v: 1 | 2;
      readonly type: 'answer';
      /** The receipt of this answer. The sender uses it to ask for the result. */
      readonly receipt: string;
      /** ISO 8601. */
      readonly at: string;
      readonly answer: Answer;
    }
  | {
      readonly v: 1 | 2;
      readonly type: 'refusal';
      readonly receipt: string;
      readonly at: string;
      readonly why: string;
    };

function isAnswer(value: unknown): value is Answer {
  if (!isJsonObject(value)) return false;
  const { id, digest, resolution, by } = value;
  if (typeof id !== 'string' || typeof digest !== 'string') return false;
  return isJsonObject(resolution) && typeof resolution['action'] === 'string' && isJsonObject(by);
}

/** Whether this version knows this type of record. Unknown records are ignored. */
function isInboxRecord(value: unknown): value is InboxRecord {
  if (!isJsonObject(value) || (value['v'] !== 1 && value['v'] !== 2) || typeof value['receipt'] !== 'string')
    return false;
  if (value['type'] === 'answer') return isAnswer(value['answer']);
  if (value['type'] === 'refusal') return typeof value['why'] === 'string';
  return isMessageRecord(value);
}

/** A record stored in an inbox. */
export interface LyingRecord {
  readonly record: InboxRecord;
  /** Whether the record was written without the store's key. */
  readonly isForeign: boolean;
  /** The record's number in the inbox. Absent without a key. */
  readonly n?: number;
  /**
   * The version of the session's history for which the record was stored (S3 of `../seal/record-seal.ts`).
   */
  readonly past: string;
}

/** The position of a record in its inbox. */
export interface InboxPlacing {
  readonly n: number;
  readonly past: string;
}

/**
 * Encodes a record as a line with its newline. With a key, the line contains the record's number and a MAC
 * over the whole line.
 */
export function encodeInboxLine(
  record: InboxRecord,
  owner: Owner | undefined,
  { n, past }: InboxPlacing,
): Buffer {
  if (owner === undefined) return sealLine(JSON.stringify(record).slice(0, -1));
  const { seal, id } = owner;
  const whole = { ...record, v: 2, n, ...(past !== '' && { past }) };
  return signLine(JSON.stringify(whole).slice(0, -1), (body) =>
    seal.mac({ kind: 'inbox', id, before: NO_PREVIOUS }, body),
  ).line;
}

/**
 * Parses the record in a line; `undefined` if it is incomplete or was written by a later version. @param line
 * without its newline.
 */
export function decodeInboxLine(line: Buffer, owner: Owner | undefined): LyingRecord | undefined {
  const value = unsealLine(line);
  if (!isInboxRecord(value)) return undefined;
  if (owner === undefined) return { record: value, isForeign: false, past: '' };
  const { n, past = '' }: JsonObject = { ...value };
  const signed = macIn(line);
  const isOurs =
    signed !== undefined &&
    owner.seal.made(signed, { kind: 'inbox', id: owner.id, before: NO_PREVIOUS }, line);
  if (!isOurs || typeof n !== 'number' || typeof past !== 'string')
    return { record: value, isForeign: true, past: '' };
  return { record: value, isForeign: false, n, past };
}
