/** A value that goes into a statement. */
export type SqlParameter =
  string | number | boolean | null | Uint8Array | readonly (string | number | null)[];

/** A row as a driver gives it. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** Runs statements, one after the other or in a transaction. */
export interface Sql {
  /** @param text with `$1`, `$2` … for the parameters. Throws the driver's errors. */
  query(text: string, parameters?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
}

/** A lock that lives as long as its connection. */
export interface LockConnection {
  /** Asks whether it is there; where it does not answer in time, it is gone, and `lost` is called. */
  answers(): Promise<void>;
  close(): Promise<void>;
}

/** A database of PostgreSQL: all that the store knows of a driver. */
export interface SqlDriver extends Sql {
  transaction<Result>(act: (sql: Sql) => Promise<Result>): Promise<Result>;
  /** Hears what is told on a channel. @param lost is called when the connection is gone. @returns ends it */
  listen(channel: string, heard: (payload: string) => void, lost?: () => void): Promise<() => void>;
  /**
   * Holds the advisory lock of two numbers on a connection of its own; `undefined` where another has it. Absent where
   * all share one connection, so that such a lock tells nothing.
   * @param lost is called once when the connection is gone
   */
  readonly lockConnection?: (
    key: readonly [number, number],
    lost: (why: unknown) => void,
  ) => Promise<LockConnection | undefined>;
  /**
   * Makes sure, before anything else is asked, that locks are held and seen. Absent where nothing can be missing.
   * @throws HitlError BAD_CONFIG where they are not, as through a pooler that shares connections
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

/** The whole number in a column: drivers give large ones as text. */
export function numberIn(row: SqlRow, column: string): number {
  const value = Number(row[column]);
  if (!Number.isSafeInteger(value)) throw new TypeError(`the column \`${column}\` has no whole number`);
  return value;
}

const LOST_STATES = /^(?:08...|57P0[1-5]|40001|40P01)$/;
/** Taken back for the sake of another statement. */
const TAKEN_BACK = /^(?:40001|40P01)$/;
/**
 * No connection, no peace, no room, no right to write for now: a server that follows another one has that. A password that
 * it took before and takes no more: whoever gives the new one starts the program again.
 */
const AWAY_STATES = /^(?:08...|28...|57...|40001|40P01|53...|25006|55P03)$/;

/** Each has a digit, which `EPIPE` has not. */
const STATE = /^(?=.*\d)[0-9A-Z]{5}$/;

/** The five characters with which PostgreSQL names an error; `undefined` for one that is not of it. */
export function stateOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  const { code } = thrown;
  return typeof code === 'string' && STATE.test(code) ? code : undefined;
}

/** True where nothing was done because another statement did something at the same time: it may be tried again. */
export function isTakenBack(thrown: unknown): boolean {
  return TAKEN_BACK.test(stateOf(thrown) ?? '');
}

/** True where the database is away for a time, and not what was asked for wrong. */
export function isAway(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined
    ? thrown instanceof Error && !(thrown instanceof TypeError)
    : AWAY_STATES.test(state);
}

/** True where a statement failed for want of a connection, or of peace: it may have been done, or may be tried again. */
export function isUndecided(thrown: unknown): boolean {
  const state = stateOf(thrown);
  return state === undefined ? thrown instanceof Error : LOST_STATES.test(state);
}
