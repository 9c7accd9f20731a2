import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';

import type { LostRecords, SessionEvent, SessionId } from '../../src/core/index.js';
import type { Made, Seal } from './record-seal.js';

/** The session whose records are checked, with its store's key. */
export interface Owner {
  readonly id: SessionId;
  readonly seal: Seal;
}

/** The authorship data of a record. */
export interface Signed {
  readonly stored: { readonly seq: number; readonly event: SessionEvent };
  /** The format that it was written in. */
  readonly version: number;
  readonly signed: Made | undefined;
}

/** Foreign, unadopted records at the end of a journal. */
export interface ForeignPast {
  /** Number of the first one. */
  readonly from: number;
  /** Digest of them, and of the chain before them. */
  readonly past: string;
  /** All are of format 1, which had no MACs. */
  readonly isOlder: boolean;
}

/** Distinguishes a journal's own and foreign records, one by one (S2 of `record-seal.ts`). */
export class Authorship {
  readonly #owner: Owner;
  #foreign: { readonly from: number; readonly digest: Hash; isOlder: boolean } | undefined;
  #past = '';

  /** @param past the past that the records before were written in */
  constructor(owner: Owner, past: string) {
    this.#owner = owner;
    this.#past = past;
  }

  /** Whether the next record is foreign. @param before the chain before it. @param line without its newline. */
  isForeign(before: string, line: Buffer, { stored, version, signed }: Signed): boolean {
    const { id, seal } = this.#owner;
    const { seq, event } = stored;
    const isMade = signed !== undefined && seal.made(signed, { kind: 'journal', id, before }, line);
    const adoption = event.type === 'approvals-voided' && event.past !== undefined ? event : undefined;
    if (isMade && (this.#foreign === undefined || adoption?.past === this.#digest())) {
      this.#foreign = undefined;
      if (adoption !== undefined) this.#past = pastOf(adoption);
      return false;
    }
    this.#foreign ??= { from: seq, digest: createHash('sha256').update(before), isOlder: true };
    this.#foreign.digest.update(line).update('\n');
    if (version > 1) this.#foreign.isOlder = false;
    return true;
  }

  /** The foreign part at the end; nothing if the last record is ours. */
  get foreign(): ForeignPast | undefined {
    if (this.#foreign === undefined) return undefined;
    const { from, isOlder } = this.#foreign;
    return { from, past: this.#digest(), isOlder };
  }

  /** Identifies the last adopted past; empty without any. */
  get past(): string {
    return this.#past;
  }

  #digest(): string {
    return this.#foreign?.digest.copy().digest('hex') ?? '';
  }
}

/**
 * Identifies the adopted past: answers given before it, or in another past, are void
 * (S3 of `record-seal.ts`).
 */
export function pastOf({ past = '', lost }: { readonly past?: string; readonly lost?: LostRecords }): string {
  return lost === undefined ? past : `${past}-${lost.mac}`;
}

/** Digest of a past without foreign records that is still adopted: it was copied, or lost records. */
export function digestOfEnd(chain: string): string {
  return createHash('sha256').update(chain).digest('hex');
}
