// Whether a pooler stands between a connection and the server, and whether it lends one connection of the server to many.
import type { SqlRow } from './sql-driver.js';
import { numberIn } from './sql-driver.js';

// Invariants:
// Q1 Whoever is lent another's connection between two transactions has no session: a lock in it is anybody's, and stays
//    where its process is gone.
// Q2 What is not known counts as not there: whoever cannot find out how a pooler lends has no lock.

/** A connection that may lead through a pooler. */
export interface Asked {
  query(text: string): Promise<{ readonly rows: readonly SqlRow[] }>;
}

/** A second connection with the same settings, until it is closed. */
export interface Other extends Asked {
  end(): Promise<void>;
}

/** The number of the process of the server that answers a connection now. */
const PROCESS = 'select pg_backend_pid() as pid';
/** A pooler may rotate server processes: two more connections detect each way, the third a coincidence. */
const OTHERS = 3;
/** A pooler that lends connections does so within this time. */
const LEND_MS = 2_000;
const LEFT_MS = 500;

/** The number of the process of the server that answers a connection now. */
export async function processOf(connection: Asked): Promise<number> {
  const [row] = (await connection.query(PROCESS)).rows;
  return numberIn(row ?? {}, 'pid');
}

/**
 * Detects whether a pooler lends an idle connection's server process: others hold transactions, and one of
 * them has that process, or another one answers here.
 * @param own process that answered last
 * @param connect opens another connection with the same settings
 * @returns false if the connection keeps its process, as without a pooler
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

/** Closes a connection, ending its transaction first: otherwise a pooler would end the lent process. */
async function left(other: Other): Promise<void> {
  await inTime(other.query('rollback'), LEFT_MS).catch(() => undefined);
  await other.end().catch(() => undefined);
}

/** Returns a result within the time limit; `undefined` after it. Rejects on failure. */
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
