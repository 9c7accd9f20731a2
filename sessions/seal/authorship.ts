import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';

import type { LostRecords, SessionEvent, SessionId } from '../../src/core/index.js';
import type { Made, Seal } from './record-seal.js';

/** A session whose records are verified, with the key of its store. */
export interface Owner {
  readonly id: SessionId;
  readonly seal: Seal;
}

/** The properties of a record that are needed to determine who wrote it. */
export interface Signed {
  readonly stored: { readonly seq: number; readonly event: SessionEvent };
  /** The format in which the record was written. */
  readonly version: number;
  readonly signed: Made | undefined;
}

/** Records at the end of a journal that were not written with our key and have not been adopted. */
export interface ForeignPast {
  /** Number of the first of these records. */
  readonly from: number;
  /** Digest of these records and of the chain value before them. */
  readonly past: string;
  /** Whether all of these records are in format 1, which had no MACs. */
  readonly isOlder: boolean;
}

/**
 * Determines, record by record, which records of a journal were written with our key
 * (S2 of `record-seal.ts`).
 */
export class Authorship {
  readonly #owner: Owner;
  #foreign: { readonly from: number; readonly digest: Hash; isOlder: boolean } | undefined;
  #past = '';

  /** @param past identifies the version of the history that the preceding records belong to */
  constructor(owner: Owner, past: string) {
    this.#owner = owner;
    this.#past = past;
  }

  /**
   * Whether the next record is foreign, which means that it was not written with our key or follows such a
   * record. @param before the previous chain value. @param line without its newline.
   */
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

  /**
   * The records at the end that were not written with our key; `undefined` if the last record was written
   * with it.
   */
  get foreign(): ForeignPast | undefined {
    if (this.#foreign === undefined) return undefined;
    const { from, isOlder } = this.#foreign;
    return { from, past: this.#digest(), isOlder };
  }

  /**
   * Identifies the history that was last adopted although it was not written with our key; empty if there is
   * none.
   */
  get past(): string {
    return this.#past;
  }

  #digest(): string {
    return this.#foreign?.digest.copy().digest('hex') ?? '';
  }
}

/**
 * Returns the identifier of the version of the history that an adoption creates. Answers that were given for
 * a different version are void (S3 of `record-seal.ts`).
 */
export function pastOf({ past = '', lost }: { readonly past?: string; readonly lost?: LostRecords }): string {
  return lost === undefined ? past : `${past}-${lost.mac}`;
}

/**
 * Returns the digest that identifies an adopted history if it was adopted because of copying or lost records,
 * not because of records from another writer.
 */
export function digestOfEnd(chain: string): string {
  return createHash('sha256').update(chain).digest('hex');
}
