/** A parameter of a statement. */
export type SqlParameter =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null)[];

/** A row from a driver. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements, one after the other or in a transaction. */
export interface Sql {
  /** @param text with `$1`, `$2` … for the parameters. Throws the driver's errors. */
  query(text: string, parameters?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
}

/** A lock that lives as long as its connection. */
export interface LockConnection {
  /** Checks the connection; without a timely answer it is lost, and `lost` is called. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** A PostgreSQL database: everything that the store needs from a driver. */
export interface SqlDriver extends Sql {
  transaction<Result>(act: (sql: Sql) => Promise<Result>): Promise<Result>;
  /**
   * Listens on a channel. @param lost is called when the connection is lost. @returns a function that stops
   * listening
   */
  listen(channel: string, heard: (payload: string) => void, lost?: () => void): Promise<() => void>;
  /**
   * Holds an advisory lock, identified by two numbers, on its own connection; `undefined` if another process has it.
   * Absent if all share one connection, which makes such a lock meaningless.
   * @param lost is called once when the connection is lost
   */
  readonly lockConnection?: (
    key: readonly [number, number],
    lost: (why: unknown) => void,
  ) => Promise<LockConnection | undefined>;
  /**
   * Verifies, before any other query, that locks are held and visible. Absent if that is certain.
   * @throws HitlError BAD_CONFIG if not, for example through a pooler that shares connections
   */
  readonly ready?: () => Promise<void>;
  close(): Promise<void>;
}

/** The text in a column. */
export function textIn(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw new TypeError(`the column \`${column}\` has no text`);
  return value;
}

/** Returns a column's integer: drivers return large ones as strings. */
export function numberIn(row: SqlRow, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw new TypeError(`the column \`${column}\` has no whole number`);
  return value;
}

const LOST_STATES = /^(?:08...|57P0[1-5]|40001|40P01)$/;
/** Rolled back for another statement. */
const TAKEN_BACK = /^(?:40001|40P01)$/;
/**
 * No connection, conflict, no resources, or temporarily read-only, as on a standby. Includes a rejected
 * password that worked before: whoever changes it restarts the program.
 */
const AWAY_STATES = /^(?:08...|28...|57...|40001|40P01|53...|25006|55P03)$/;

/** SQL states contain a digit, unlike `EPIPE`. */
const STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** PostgreSQL's five-character code of an error; `undefined` for any other error. */
export function stateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  return typeof code === 'string' && STATE.test(code) ? code : undefined;
}

/** Whether a concurrent statement caused a rollback, so that retrying may succeed. */
export function isTakenBack(thrown: unknown): boolean {
  return TAKEN_BACK.test(stateOf(thrown) ?? '');
}

/** Whether the database is temporarily unavailable, not the query wrong. */
export function isAway(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined
    ? thrown instanceof Error && !(thrown instanceof TypeError)
    : AWAY_STATES.test(state);
}

/**
 * Whether a statement failed through a lost connection or conflict: it may have been executed, or can be
 * retried.
 */
export function isUndecided(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined ? thrown instanceof Error : LOST_STATES.test(state);
}
