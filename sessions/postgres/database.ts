import type { Clock } from '../../src/core/index.js';
import { errnoOf, HitlError, isHitlError, messageOf } from '../../src/core/index.js';
import { connectTo } from './driver/connect.js';
import { isAway, isTakenBack, stateOf } from './driver/sql-driver.js';
import { WANTS_PASSWORD } from './driver/password-file.js';
import type { Sql, SqlDriver, SqlParameter, SqlRow } from './driver/sql-driver.js';
import type { SchemaVersion } from './schema.js';
import { migrate, packsAt, versionOf } from './schema.js';

// Invariants:
// D1 What failed is not remembered: whoever comes next tries to connect again.
// D2 The address of a database, which has its password, is in no message.
// D4 What is looked at as the tables are made ready is looked at again while they are used: another program may have made
//    them newer meanwhile.
// D3 A statement that the database took back for the sake of another one is tried again, whatever isolation it has.

/** Time for which the version of the tables is cached, in milliseconds. */
const COUNTS_MS = 5_000;

/** The tables of a database. They are migrated before the first statement. */
export class Database {
  readonly #connection: string | SqlDriver;
  readonly #locks: string | undefined;
  readonly #opening: (driver: SqlDriver) => Promise<void>;
  readonly #clock: Pick<Clock, 'now'>;
  #driver: Promise<SqlDriver> | undefined;
  #version: { readonly at: number; readonly is: SchemaVersion } | undefined;

  /**
   * @param connection a URL, which is connected to on first use, or a driver that the caller provides
   * @param clock measures how long values are cached
   * @param opening runs once the tables exist
   * @param locks the URL that bypasses the connection pooler, for locks. Default: the same URL
   */
  constructor(
    connection: string | SqlDriver,
    clock: Pick<Clock, 'now'>,
    opening: (driver: SqlDriver) => Promise<void>,
    locks?: string,
  ) {
    this.#locks = locks;
    this.#connection = connection;
    this.#clock = clock;
    this.#opening = opening;
  }

  /** Returns the driver once the tables exist. Throws driver errors. */
  async driver(): Promise<SqlDriver> {
    const driver = (this.#driver ??= this.#opened());
    try {
      return await driver;
    } catch (thrown) {
      if (this.#driver === driver) this.#driver = undefined; // D1
      throw thrown;
    }
  }

  /**
   * Returns the driver, for a statement that depends on the driver's capabilities. @throws HitlError
   * STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  async asked(): Promise<SqlDriver> {
    try {
      return await this.driver();
    } catch (thrown) {
      throw notRead('the database', thrown);
    }
  }

  /**
   * Checks that this program supports the current version of the tables (D4).
   * @throws HitlError SESSION_NEWER, STORE_UNAVAILABLE, SESSION_UNREADABLE
   */
  async known(): Promise<void> {
    await this.#learnt();
  }

  /** Whether every program that uses the tables can read packed records. @throws HitlError like `known` */
  async packs(): Promise<boolean> {
    return packsAt(await this.#learnt());
  }

  /** Discards the cached version. */
  forgetVersion(): void {
    this.#version = undefined;
  }

  async #learnt(): Promise<SchemaVersion> {
    const driver = await this.asked();
    const now = this.#clock.now();
    if (this.#version !== undefined && now - this.#version.at < COUNTS_MS) return this.#version.is;
    try {
      const is = await inPeace(() => versionOf(driver));
      this.#version = { at: now, is };
      return is;
    } catch (thrown) {
      throw notRead('the schema version', thrown);
    }
  }

  async #opened(): Promise<SqlDriver> {
    const connection = this.#connection;
    const driver = typeof connection === 'string' ? await connectTo(connection, this.#locks) : connection;
    try {
      await driver.ready?.();
      this.#version = { at: this.#clock.now(), is: await migrate(driver) };
      await this.#opening(driver);
      return driver;
    } catch (thrown) {
      if (driver !== connection) await driver.close().catch(() => undefined);
      throw isOfAddress(thrown) ? failed('BAD_CONFIG', 'could not connect to the database', thrown) : thrown;
    }
  }

  /**
   * Runs a query. `what` is the subject in error messages. @throws HitlError STORE_UNAVAILABLE,
   * SESSION_UNREADABLE
   */
  async read(
    what: string,
    text: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<readonly SqlRow[]> {
    try {
      return await inPeace(async () => (await this.driver()).query(text, parameters));
    } catch (thrown) {
      throw notRead(what, thrown);
    }
  }

  /**
   * Runs a statement that changes data. `what` is the subject in error messages. @throws HitlError
   * SAVE_FAILED
   */
  async change(
    what: string,
    text: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<readonly SqlRow[]> {
    try {
      return await inPeace(async () => (await this.driver()).query(text, parameters));
    } catch (thrown) {
      throw notSaved(what, thrown);
    }
  }

  /**
   * Runs a transaction. `what` is the subject in error messages. @throws HitlError SAVE_FAILED, and any error
   * of `act`
   */
  async transaction<Result>(what: string, act: (sql: Sql) => Promise<Result>): Promise<Result> {
    try {
      return await inPeace(async () => (await this.driver()).transaction(act));
    } catch (thrown) {
      throw notSaved(what, thrown);
    }
  }

  async close(): Promise<void> {
    const driver = this.#driver;
    this.#driver = undefined;
    const opened = await driver?.catch(() => undefined);
    if (opened !== this.#connection) await opened?.close();
  }
}

const TRIES = 8;

/** Retries work that the database rolled back because of a concurrent transaction (D3). */
async function inPeace<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await act();
    } catch (thrown) {
      if (tries === TRIES || !isTakenBack(thrown)) throw thrown;
    }
  }
}

/** Converts a driver error for a failed write to a SAVE_FAILED error. */
export function notSaved(what: string, thrown: unknown): unknown {
  return isHitlError(thrown) ? thrown : failed('SAVE_FAILED', `could not save ${what}`, thrown);
}

/** Converts a driver error for a failed read. The code depends on whether a retry may help. */
function notRead(what: string, thrown: unknown): unknown {
  if (isHitlError(thrown)) return thrown;
  return failed(
    isAway(thrown) ? 'STORE_UNAVAILABLE' : 'SESSION_UNREADABLE',
    `could not read ${what}`,
    thrown,
  );
}

function failed(
  code: 'BAD_CONFIG' | 'SAVE_FAILED' | 'SESSION_UNREADABLE' | 'STORE_UNAVAILABLE',
  what: string,
  thrown: unknown,
): HitlError {
  const cause = plain(thrown);
  return new HitlError(code, `${what}: ${messageOf(cause)}`, { hint: hintFor(cause), cause });
}

/** Patterns of PostgreSQL error codes, with a hint for each. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'check the user and password in HITL_STORE, PGPASSWORD or ~/.pgpass'],
  [/^3D/, 'check the name at the end of the address, or make the database: createdb <name>'],
  [/^42501/, 'the database user lacks the permission; the database owner can grant it'],
  [/^53/, 'the server is out of resources or connections; ask its administrator'],
  [/^(?:25006|0A)/, 'check that this server accepts writes; a standby does not'],
];

const NO_TLS =
  'enable TLS on the server or, if no one else can read the connection, add ?sslmode=disable to the URL';

/** Whether the user, password or database is wrong. Such an error is caused by the URL, not by the server. */
function isOfAddress(thrown: unknown): boolean {
  return /^(?:28|3D)/.test(stateOf(thrown) ?? '') || messageOf(thrown) === WANTS_PASSWORD;
}

function hintFor(cause: unknown): string {
  if (messageOf(cause) === WANTS_PASSWORD)
    return 'set one in the URL, in PGPASSWORD, or in ~/.pgpass (readable only by you)';
  if (messageOf(cause).includes('does not support SSL')) return NO_TLS;
  const state = stateOf(cause) ?? '';
  const known = HINTS.find(([states]) => states.test(state));
  if (known !== undefined) return known[1];
  return errnoOf(cause) === undefined || state !== ''
    ? 'check the server, then try again; confirmed data is not lost'
    : 'check that the server is running, and that its name and port in the URL are right';
}

/**
 * Returns the first error in an aggregate of connection errors, because the aggregate has no message of its
 * own.
 */
function plain(thrown: unknown): unknown {
  if (!(thrown instanceof AggregateError) || thrown.message !== '') return thrown;
  const first: unknown = thrown.errors[0];
  return first instanceof Error ? first : new Error(messageOf(thrown) || 'the database is not responding');
}
