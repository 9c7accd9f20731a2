/** A statement parameter. */
export type SqlParameter =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null)[];

/** A row that a driver returns. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs SQL statements one after the other, possibly in a transaction. */
export interface Sql {
  /** @param text with `$1`, `$2` … for the parameters. Throws driver errors. */
  query(text: string, parameters?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
}

/** A lock that is held for as long as its connection exists. */
export interface LockConnection {
  /** Checks the connection. If it does not respond in time, it is treated as lost and `lost` is called. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** A PostgreSQL database, with everything that the store needs from a driver. */
export interface SqlDriver extends Sql {
  transaction<Result>(act: (sql: Sql) => Promise<Result>): Promise<Result>;
  /**
   * Listens for notifications on a channel.
   * @param lost called when the connection is lost.
   * @returns a function that stops listening
   */
  listen(channel: string, heard: (payload: string) => void, lost?: () => void): Promise<() => void>;
  /**
   * Acquires an advisory lock, identified by two numbers, on a connection of its own. Returns `undefined` if
   * another process holds the lock. Absent if all users share one connection, because such a lock would have
   * no effect.
   * @param lost called once when the connection is lost
   */
  readonly lockConnection?: (
    key: readonly [number, number],
    lost: (why: unknown) => void,
  ) => Promise<LockConnection | undefined>;
  /**
   * Checks, before any other query, that locks are held and visible. Absent if this is guaranteed.
   * @throws HitlError BAD_CONFIG if they are not, for example because a pooler shares connections
   */
  readonly ready?: () => Promise<void>;
  close(): Promise<void>;
}

/** Returns the text in a column. */
export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`column \`${column}\` does not contain text`);
  return value;
}

/** Returns the integer in a column. Drivers return large integers as strings. */
export function numberIn(row: SqlRow, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value))
    throw new TypeError(`column \`${column}\` does not contain a whole number`);
  return value;
}

const LOST_STATES = /^(?:08...|57P0[1-5]|40001|40P01)$/;
/** SQL states of a statement that was rolled back in favor of a concurrent one. */
const TAKEN_BACK = /^(?:40001|40P01)$/;
/**
 * SQL states that indicate a lost connection, a conflict, exhausted resources, or a server that is
 * temporarily read-only, such as a standby. Includes a rejected password that was accepted before, because
 * the program must be restarted to use a new password.
 */
const AWAY_STATES = /^(?:08...|28...|57...|40001|40P01|53...|25006|55P03)$/;

/** Matches SQL states. At least one digit is required, to exclude errno names such as `EPIPE`. */
const STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** Returns the five-character PostgreSQL code of an error; `undefined` for any other error. */
export function stateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  return typeof code === 'string' && STATE.test(code) ? code : undefined;
}

/** Whether a statement was rolled back because of a concurrent one, so that a retry may succeed. */
export function isTakenBack(thrown: unknown): boolean {
  return TAKEN_BACK.test(stateOf(thrown) ?? '');
}

/** Whether the database is temporarily unavailable, as opposed to an error in the query. */
export function isAway(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined
    ? thrown instanceof Error && !(thrown instanceof TypeError)
    : AWAY_STATES.test(state);
}

/**
 * Whether a statement failed because of a lost connection or a conflict. It may have been executed, or may
 * succeed if it is retried.
 */
export function isUndecided(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined ? thrown instanceof Error : LOST_STATES.test(state);
}
