// Whether a pooler stands between a connection and the server, and whether it lends one connection of the server to many.
import type { SqlRow } from './sql-driver.js';
import { numberIn } from './sql-driver.js';

// Invariants:
// Q1 Whoever is lent another's connection between two transactions has no session: a lock in it is anybody's, and stays
//    where its process is gone.
// Q2 What is not known counts as not there: whoever cannot find out how a pooler lends has no lock.

/** A connection that may go through a pooler. */
export interface Asked {
  query(text: string): Promise<{ readonly rows: readonly SqlRow[] }>;
}

/** Another connection with the same settings, which the caller must close. */
export interface Other extends Asked {
  end(): Promise<void>;
}

/** Queries the id of the server process that currently answers a connection. */
const PROCESS = 'select pg_backend_pid() as pid';
/**
 * Number of additional connections used for the test. Poolers may assign server processes in rotation: two
 * additional connections detect each kind of rotation, and the third rules out a coincidence.
 */
const OTHERS = 3;
/** Maximum time that a pooler takes to lend a connection, in milliseconds. */
const LEND_MS = 2_000;
const LEFT_MS = 500;

/** Returns the id of the server process that currently answers a connection. */
export async function processOf(connection: Asked): Promise<number> {
  const [row] = (await connection.query(PROCESS)).rows;
  return numberIn(row ?? {}, 'pid');
}

/**
 * Detects whether a pooler lends the server process of an idle connection to other connections. Opens other
 * connections and starts a transaction on each. The process is lent if one of them gets that process, or if a
 * different process then answers the original connection.
 * @param own id of the process that last answered the connection
 * @param connect opens another connection with the same settings
 * @returns false if the connection keeps its process, as it does without a pooler
 */
export async function isLent(
  connection: Asked,
  own: number,
  connect: () => Promise<Other>,
  lendMs = LEND_MS,
): Promise<boolean> {
  const others: Other[] = [];
  try {
    while (others.length < OTHERS) {
      const other = await connect();
      others.push(other);
      const one = other.query('begin').then(() => processOf(other));
      if ((await inTime(one, lendMs)) === own || (await processOf(connection)) !== own) return true;
      const late = await inTime(one, lendMs);
      if (late === own) return true;
      if (late === undefined) return false; // it waits, and what is idle here is not lent to it
    }
    return false;
  } finally {
    await Promise.all(others.map(left));
  }
}

/**
 * Rolls back the transaction on a connection, then closes the connection. If the transaction were still open,
 * a pooler would terminate the lent server process.
 */
async function left(other: Other): Promise<void> {
  await inTime(other.query('rollback'), LEFT_MS).catch(() => undefined);
  await other.end().catch(() => undefined);
}

/** Returns a result if it is available within the time limit; otherwise `undefined`. Rejects on failure. */
async function inTime<Result>(doing: Promise<Result>, ms: number): Promise<Result | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([doing, late]);
  } finally {
    doing.catch(() => undefined); // where it is late nobody hears of its end
    clearTimeout(timer);
  }
}
