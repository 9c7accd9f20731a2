import { hash } from 'node:crypto';
import os from 'node:os';

import type { StoreKey } from '../../src/core/index.js';
import { escapeText, HitlError } from '../../src/core/index.js';
import type { Database } from './database.js';
import { textIn } from './driver/sql-driver.js';

// Invariants:
// N1 The database notes which key signs its rows: the first program that writes with one does. The mark proves nothing,
//    and opens nothing: whoever can write to the database can write it. It keeps apart programs that mean well.
// N2 Nothing is recorded by a program without that key, which would count nowhere: it is refused, and told.

/** Time for which a successful check is cached, in milliseconds. */
const COUNTS_MS = 60_000;
const DOMAIN = 'hitl store key\n';
const HOST_LETTERS = 100;

export interface KeyMarkOptions {
  readonly database: Database;
  readonly space: string;
  readonly key: (() => Uint8Array) | undefined;
  /** Returns the milliseconds since an arbitrary fixed time, for measuring durations. */
  readonly now: () => number;
}

/** Checks that this program signs rows with the key that is registered in the database. */
export class KeyMark implements StoreKey {
  readonly #options: KeyMarkOptions;
  #looked = -Infinity;

  constructor(options: KeyMarkOptions) {
    this.#options = options;
  }

  async check(): Promise<void> {
    const { now } = this.#options;
    if (now() - this.#looked < COUNTS_MS) return;
    const found = (await this.#read()) ?? (await this.#noted());
    const mine = this.#mark();
    if (found !== undefined && found.mark !== mine) throw refused(mine === undefined, found.host);
    this.#looked = now(); // what is refused is looked at again each time: somebody copies the key
  }

  async notedBy(): Promise<string | undefined> {
    return (await this.#read())?.host;
  }

  async replace(): Promise<void> {
    const { database, space } = this.#options;
    await database.asked();
    await database.change(
      'the database key',
      `insert into hitl_key (space, mark, host) values ($1, $2, $3)
       on conflict (space) do update set mark = excluded.mark, host = excluded.host, at = now()`,
      [space, this.#mark() ?? '', hostHere()],
    );
    this.#looked = -Infinity;
  }

  /**
   * Registers the mark of this key if none is registered (N1). Returns the registered mark; `undefined`
   * without a key.
   */
  async #noted(): Promise<{ readonly mark: string; readonly host: string } | undefined> {
    const { database, space } = this.#options;
    const mark = this.#mark();
    if (mark === undefined) return undefined;
    await database.change(
      'the database key',
      'insert into hitl_key (space, mark, host) values ($1, $2, $3) on conflict (space) do nothing',
      [space, mark, hostHere()],
    );
    return this.#read();
  }

  async #read(): Promise<{ readonly mark: string; readonly host: string } | undefined> {
    const { database, space } = this.#options;
    await database.asked();
    const [row] = await database.read(
      'the database key',
      'select mark, host from hitl_key where space = $1',
      [space],
    );
    return row && { mark: textIn(row, 'mark'), host: textIn(row, 'host').slice(0, HOST_LETTERS) };
  }

  /** Returns a fingerprint that identifies the key without revealing it. */
  #mark(): string | undefined {
    const { key } = this.#options;
    return key && hash('sha256', Buffer.concat([Buffer.from(DOMAIN), key()]), 'hex').slice(0, 32);
  }
}

function hostHere(): string {
  return os.hostname().slice(0, HOST_LETTERS);
}

function refused(isMissing: boolean, host: string): HitlError {
  const what = isMissing
    ? 'this machine does not have the database key'
    : "this machine's key does not match the database key";
  return new HitlError('BAD_CONFIG', `${what}: events written by this machine would be void`, {
    hint: `copy the key from ${escapeText(host)} (\`hitl store key\` shows its path on each machine); if it is lost: hitl store key --replace`,
  });
}
