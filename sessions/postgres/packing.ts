import { deflateRawSync, inflateRawSync } from 'node:zlib';

import type { AgentFingerprint, OpenQuestion } from '../../src/core/index.js';
import { schemaDigest, sha256, waitOf } from '../../src/core/index.js';
import type { Database } from './database.js';
import type { SqlRow } from './driver/sql-driver.js';
import { textIn } from './driver/sql-driver.js';

// Invariants:
// Z1 Packing changes no byte of a record: sums, chains and macs are over what is unpacked.
// Z2 A text is what its digest says, or is not there. A record that cannot be unpacked is a damaged one.
// Z3 A text is in the database before anything is packed with it, and is never changed.
// Z4 What statements look into stands in columns: of a packed question its moment and its digest. A wait is whole.

/**
 * Compresses the records of a session. Most of the bytes are tool descriptions that many sessions share, so
 * these are stored once, in a text identified by its digest. The descriptions are removed from the records,
 * which are then deflated with the text as the dictionary.
 */
export interface Packer {
  /** SHA-256 of the text, in hex. */
  readonly digest: string;
  readonly tools: Buffer;
  readonly dictionary: Buffer;
}

/** A record in the form in which its row stores it, either packed or unpacked. */
export interface PackedLine {
  readonly line: string;
  /** Hex. */
  readonly packed: string | null;
  /** Byte offset at which the descriptions were removed. */
  readonly cut: number | null;
}

/** An open question in the form in which its row stores it, either packed or unpacked. */
export interface PackedQuestion {
  readonly body: string;
  /** Hexadecimal, as is the digest. */
  readonly packed: string | null;
  readonly digest: string | null;
}

/** Deflate's window. */
const WINDOW = 32_768;
/**
 * Maximum length of a packed record before compression, in bytes. Longer records are stored unpacked, and
 * unpacking stops at this length.
 */
const MOST_BYTES = 64 * 1024 * 1024;
/** Separates the descriptions from the rest of the text. JSON contains no newlines. */
const NEWLINE = '\n';

/**
 * Common parts of records, for the dictionary. If they are changed, new texts are stored, and existing ones
 * can still be read.
 */
const COMMON = [
  '{"type":"approvals-voided"},{"type":"run-ended","reason":"stop"},"end":"stop","usage":{"inputTokens":0,"outputTokens":0}',
  '"interrupt-resolved","id":"i1","digest":"","resolution":{"action":"restart"},"by":{"type":"person","name":"","via":"answer"}',
  '"tool-settled","ref":"call-1-1","outcome":{"type":"response","output":{"type":"tool-response","ref":"","name":"","output":""}}',
  '"properties":{"type":"string","description":"","minLength":1},"additionalProperties":false,"required":[""]},"answerSchema":{"type":"object","type":"number","type":"boolean","type":"array","items":{',
  '{"v":2,"seq":1,"prev":"","at":"2026-11-26T22:05:14.594Z","scope":"","event":{"type":"session-created","agent":{"model":"","server":"http","system":"","tools":},"title":"","cwd":"/home/","modules":["/' +
    '"},"by":{"type":"person","name":"","via":"chat"}},"mac":"',
  '","event":{"type":"session-opened","epoch":1,"pid":1,"host":"","seal":"","law":2,"owner":1000},"mac":"","sum":"',
  '","event":{"type":"message-added","message":{"role":"user","content":[{"type":"text","text":""}]}},"mac":"',
  '","event":{"type":"model-started","attempt":1},"mac":"',
  '","event":{"type":"message-added","message":{"role":"model","content":[{"type":"text","text":""},{"type":"tool-request","ref":"call-1-1","name":"","input":{"":""}}]},"end":"tool-use","usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"costUsd":0}},"mac":"',
  '","event":{"type":"tool-started","ref":"call-1-1","name":"","attempt":1,"input":{"":""},"effect":"once","idempotencyKey":":call-1-1","startedAt":"2026-11-26T22:05:14.634Z","title":""},"mac":"',
  '","event":{"type":"interrupt-raised","interrupt":{"kind":"confirmation","source":{"type":"tool","ref":"call-1-1","name":"","input":{"":""},"raisedBy":"tool","raisedBy":"approval","effect":"once","title":""},"payload":{"reason":""},"allowed":["restart","reject","respond","cancel"],"inputSchema":{"type":"object","properties":{"bound":{"run":"","tool":""},"id":"i1","path":"","raisedAt":"2026-11-26T22:05:14.645Z","expiresAt":"","digest":""}},"mac":"","sum":"',
].join(NEWLINE);

/** Returns the text that is stored for a set of tool descriptions. */
export function textOf(tools: AgentFingerprint['tools']): string {
  return [JSON.stringify(tools), tools.map(schemaDigest).join(' '), COMMON].join(NEWLINE);
}

/** Creates the packer for a text; `undefined` if the text is invalid. */
export function packerOf(text: string): Packer | undefined {
  const end = text.indexOf(NEWLINE);
  if (end === -1) return undefined;
  const bytes = Buffer.from(text);
  return {
    digest: sha256(bytes),
    tools: Buffer.from(text.slice(0, end)),
    dictionary: bytes.subarray(-WINDOW),
  };
}

/** Returns a record in the form in which its row stores it. @param line without its newline */
export function packedLine(line: Buffer, packer: Packer | undefined): PackedLine {
  const whole = { line: line.toString('utf8'), packed: null, cut: null };
  if (packer === undefined || line.length > MOST_BYTES) return whole;
  const { tools, dictionary } = packer;
  const cut = line.indexOf(tools);
  const rest = cut === -1 ? line : Buffer.concat([line.subarray(0, cut), line.subarray(cut + tools.length)]);
  const packed = deflateRawSync(rest, { dictionary });
  if (packed.length >= line.length) return whole;
  return { line: '', packed: packed.toString('hex'), cut: cut === -1 ? null : cut };
}

/** Represents an invalid record. */
const UNREADABLE = Buffer.alloc(0);

/** Returns the record in a row, or an invalid record if it cannot be unpacked (Z2). */
export function lineIn(row: SqlRow, packer: Packer | undefined): Buffer {
  const { packed, cut } = row;
  if (packed === null || packed === undefined) return Buffer.from(textIn(row, 'line'));
  const rest = packed instanceof Uint8Array && packer !== undefined ? unpacked(packed, packer) : undefined;
  if (rest === undefined || packer === undefined) return UNREADABLE;
  if (cut === null || cut === undefined) return rest;
  const at = Number(cut);
  if (!Number.isSafeInteger(at) || at < 0 || at > rest.length) return UNREADABLE;
  return Buffer.concat([rest.subarray(0, at), packer.tools, rest.subarray(at)]);
}

const SHA256 = /^[0-9a-f]{64}$/u;

/** Returns an open question in the form in which its row stores it (Z4). */
export function packedQuestion(
  { interrupt, votes }: OpenQuestion,
  packer: Packer | undefined,
): PackedQuestion {
  const { digest, raisedAt: _inItsColumn, ...rest } = interrupt;
  const beside = { ...(votes && { votes }) };
  const whole = { body: JSON.stringify({ ...interrupt, ...beside }), packed: null, digest: null };
  if (packer === undefined || !SHA256.test(digest) || waitOf(interrupt) !== undefined) return whole;
  const { dictionary } = packer;
  const packed = deflateRawSync(JSON.stringify({ ...rest, ...beside }), { dictionary });
  return packed.length >= whole.body.length ? whole : { body: '', packed: packed.toString('hex'), digest };
}

/**
 * Returns the question in a row as JSON, based on the columns `body`, `packed`, `digest` and `raised_at`;
 * `undefined` if it is invalid.
 */
export function questionIn(row: SqlRow, packer: Packer | undefined): unknown {
  const { packed, digest } = row;
  if (packed === null || packed === undefined) return jsonIn(textIn(row, 'body'));
  if (!(packed instanceof Uint8Array && digest instanceof Uint8Array) || packer === undefined)
    return undefined;
  const question = jsonIn(unpacked(packed, packer)?.toString());
  if (typeof question !== 'object' || question === null) return undefined;
  return { ...question, raisedAt: textIn(row, 'raised_at'), digest: Buffer.from(digest).toString('hex') };
}

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    return undefined; // a later version left it, or somebody else
  }
}

function unpacked(packed: Uint8Array, { dictionary }: Packer): Buffer | undefined {
  try {
    return inflateRawSync(packed, { dictionary, maxOutputLength: MOST_BYTES });
  } catch {
    return undefined;
  }
}

/** Returns the digest of the text that a row refers to, in hex. */
function digestIn({ packing }: SqlRow): string | undefined {
  return packing instanceof Uint8Array ? Buffer.from(packing).toString('hex') : undefined;
}

/** Maximum number of cached texts, and their maximum total length. */
const MOST_KEPT = 64;
const MOST_KEPT_LENGTH = 16 * 1024 * 1024;

const KEEP = `insert into hitl_text (digest, text) values (decode($1, 'hex'), $2) on conflict (digest) do nothing`;
const FIND = `select text from hitl_text where digest in (select decode(d, 'hex') from unnest($1::text[]) d)`;

/** The texts of a database. They are cached, so that each is usually read only once per process. */
export class Texts {
  readonly #database: Database;
  readonly #kept = new Map<string, { readonly packer: Packer; readonly length: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns the packer for a new session; `undefined` if some programs that use this database may not be able
   * to read packed records.
   * @throws HitlError SAVE_FAILED
   */
  async packerFor(agent: AgentFingerprint | undefined): Promise<Packer | undefined> {
    if (agent === undefined || !(await this.#database.packs())) return undefined;
    const text = textOf(agent.tools);
    const digest = sha256(text);
    const known = this.#kept.get(digest);
    if (known !== undefined) return known.packer;
    await this.#database.change('tool descriptions', KEEP, [digest, text]); // Z3
    return (await this.#found([digest])).get(digest); // what is there may be another text: nothing is packed then
  }

  /** Returns the packer for the digest in a session's row. @throws HitlError like `Database.read` */
  async packerIn(row: SqlRow): Promise<Packer | undefined> {
    return (await this.packersIn([row]))(row);
  }

  /** Returns the packers for many rows in one query. @throws HitlError like `Database.read` */
  async packersIn(rows: readonly SqlRow[]): Promise<(row: SqlRow) => Packer | undefined> {
    const wanted = new Set(rows.map(digestIn).filter((digest) => digest !== undefined));
    const known = new Map([...wanted].map((digest) => [digest, this.#kept.get(digest)?.packer] as const));
    const unknown = [...wanted].filter((digest) => known.get(digest) === undefined);
    const found = unknown.length === 0 ? new Map<string, Packer>() : await this.#found(unknown);
    return (row) => {
      const digest = digestIn(row);
      return digest === undefined ? undefined : (known.get(digest) ?? found.get(digest));
    };
  }

  /** Returns packers for the texts with these digests. Skips texts that do not match their digest (Z2). */
  async #found(digests: readonly string[]): Promise<ReadonlyMap<string, Packer>> {
    const found = new Map<string, Packer>();
    for (const { text } of await this.#database.read('tool descriptions', FIND, [digests])) {
      const packer = typeof text === 'string' ? packerOf(text) : undefined;
      if (typeof text !== 'string' || packer === undefined) continue;
      found.set(packer.digest, packer);
      if (digests.includes(packer.digest)) this.#keep(packer, text.length);
    }
    return found;
  }

  #keep(packer: Packer, length: number): void {
    if (length > MOST_KEPT_LENGTH) return;
    this.#kept.set(packer.digest, { packer, length });
    let all = [...this.#kept.values()].reduce((sum, kept) => sum + kept.length, 0);
    for (const [digest, kept] of this.#kept) {
      if (this.#kept.size <= MOST_KEPT && all <= MOST_KEPT_LENGTH) return;
      this.#kept.delete(digest);
      all -= kept.length;
    }
  }
}
