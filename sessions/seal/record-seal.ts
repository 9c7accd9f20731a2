import { createHmac, hash } from 'node:crypto';

import type { SessionId } from '../../src/core/index.js';

// Invariants of authenticity, for everything that is kept of a session:
// S1 A record counts as ours only with a mac of our key over its kind, its session, what stands before it, and its bytes.
// S2 A record that is not ours, and all behind it up to one of ours that adopts them by their content, is foreign: it
//    is shown, and nothing in it has a vote.
// S3 An answer or a message counts with a mac of ours, under the number that follows the one before it, and in the
//    past that it was sent in: what was taken away and put back, or belongs to another past or session, does not.
// S4 A snapshot is read only with a mac over its first line, which holds the sums of all that follows.
// S5 Without a key, as in a program that gives none, nothing has a mac and nothing is foreign.

/** The position that a MAC covers. The MAC is valid only at that position. */
export interface SealedPlace {
  readonly kind: 'journal' | 'inbox' | 'snapshot';
  readonly id: SessionId;
  /** The journal's chain value before the position. */
  readonly before: string;
}

/** A stored MAC, and the number of preceding bytes that it is supposed to cover. */
export interface Made {
  readonly mac: string;
  readonly length: number;
}

/** Length of a MAC in hex digits: 128 bits. */
export const MAC_LENGTH = 32;

const BLOCK = 64;
const HASH_BYTES = 32;
/**
 * Maximum length for the fast path, in bytes. Longer records use the Node.js API, because hashing then takes
 * most of the time.
 */
const SCRATCH = 1 << 14;

/**
 * Creates and verifies MACs with the key of a store, using HMAC-SHA-256 truncated to 128 bits. For short
 * records, this takes half as long as `createHmac` of Node.js, which spends most of the time on creating an
 * object.
 */
export class Seal {
  readonly #key: Uint8Array;
  /** The inner padded key, followed by the hashed data. */
  readonly #inner = Buffer.alloc(BLOCK + SCRATCH);
  readonly #outer = Buffer.alloc(BLOCK + HASH_BYTES);

  /** @param key at most 64 bytes. */
  constructor(key: Uint8Array) {
    this.#key = Uint8Array.from(key);
    for (let at = 0; at < BLOCK; at += 1) {
      const byte = key[at] ?? 0;
      this.#inner[at] = byte ^ 0x36;
      this.#outer[at] = byte ^ 0x5c;
    }
  }

  /** Creates a MAC for part of a session. @param length number of bytes to cover. Default: all */
  mac({ kind, id, before }: SealedPlace, body: Buffer, length = body.length): string {
    const head = `${kind}\n${id}\n${before}\n`; // ids and chains have one byte a letter
    const end = BLOCK + head.length + length;
    if (end > BLOCK + SCRATCH) {
      const digest = createHmac('sha256', this.#key).update(head, 'latin1').update(body.subarray(0, length));
      return digest.digest('hex').slice(0, MAC_LENGTH);
    }
    this.#inner.write(head, BLOCK, 'latin1');
    body.copy(this.#inner, BLOCK + head.length, 0, length);
    this.#outer.write(hash('sha256', this.#inner.subarray(0, end), 'binary'), BLOCK, 'latin1');
    return hash('sha256', this.#outer, 'hex').slice(0, MAC_LENGTH);
  }

  /** Whether this key created a MAC for exactly this content at this position. Compares in constant time. */
  made({ mac, length }: Made, place: SealedPlace, body: Buffer): boolean {
    if (mac.length !== MAC_LENGTH) return false;
    const ours = this.mac(place, body, length);
    let difference = 0;
    for (let at = 0; at < MAC_LENGTH; at += 1) difference |= mac.charCodeAt(at) ^ ours.charCodeAt(at);
    return difference === 0;
  }
}
