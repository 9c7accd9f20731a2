import { isHitlError, messageOf } from '../../src/core/index.js';
import { saveFailed, unreadable } from '../disk/index.js';
import { connectTo } from './driver/index.js';
import type { Sql, SqlDriver, SqlParameter, SqlRow } from './driver/index.js';
import { migrate } from './schema.js';

// Invariants:
// D1 What failed is not remembered: whoever comes next tries to connect again.
// D2 The address of a database, which has its password, is in no message.

/** The tables of a database, brought up to date before the first statement. */
export class Database {
  readonly #connection: string | SqlDriver;
  #driver: Promise<SqlDriver> | undefined;

  /** @param connection an address, which nothing is asked of before it is needed; or a driver of somebody else's. */
  constructor(connection: string | SqlDriver) {
    this.#connection = connection;
  }

  /** The driver, with its tables there. Throws the driver's errors. */
  async driver(): Promise<SqlDriver> {
    const driver = (this.#driver ??= this.#opened());
    try {
      return await driver;
    } catch (thrown) {
      if (this.#driver === driver) this.#driver = undefined; // D1
      throw thrown;
    }
  }

  /** The driver, for a statement that depends on what it can do. @throws HitlError SESSION_UNREADABLE */
  async asked(): Promise<SqlDriver> {
    try {
      return await this.driver();
    } catch (thrown) {
      throw isHitlError(thrown) ? thrown : unreadable('the database', plain(thrown));
    }
  }

  async #opened(): Promise<SqlDriver> {
    const connection = this.#connection;
    const driver = typeof connection === 'string' ? await connectTo(connection) : connection;
    try {
      await migrate(driver);
      return driver;
    } catch (thrown) {
      if (driver !== connection) await driver.close().catch(() => undefined);
      throw thrown;
    }
  }

  /** Asks for something about `what`. @throws HitlError SESSION_UNREADABLE */
  async read(
    what: string,
    text: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<readonly SqlRow[]> {
    try {
      return await (await this.driver()).query(text, parameters);
    } catch (thrown) {
      throw isHitlError(thrown) ? thrown : unreadable(what, plain(thrown));
    }
  }

  /** Changes something about `what`. @throws HitlError SAVE_FAILED */
  async change(
    what: string,
    text: string,
    parameters: readonly SqlParameter[] = [],
  ): Promise<readonly SqlRow[]> {
    try {
      return await (await this.driver()).query(text, parameters);
    } catch (thrown) {
      throw notSaved(what, thrown);
    }
  }

  /** Does something in a transaction about `what`. @throws HitlError SAVE_FAILED, or what `act` throws */
  async transaction<Result>(what: string, act: (sql: Sql) => Promise<Result>): Promise<Result> {
    try {
      return await (await this.driver()).transaction(act);
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

/** The error of a driver as ours. Code SAVE_FAILED */
export function notSaved(what: string, thrown: unknown): unknown {
  return isHitlError(thrown) ? thrown : saveFailed(what, plain(thrown));
}

/** Drivers put several failed addresses in one error that says nothing itself. */
function plain(thrown: unknown): unknown {
  if (!(thrown instanceof AggregateError) || thrown.message !== '') return thrown;
  const first: unknown = thrown.errors[0];
  return first instanceof Error ? first : new Error(messageOf(thrown) || 'the database does not answer');
}
