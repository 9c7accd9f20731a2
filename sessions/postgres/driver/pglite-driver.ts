import type { Sql, SqlDriver, SqlRow } from './sql-driver.js';

interface PgliteQueries {
  query(text: string, parameters?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The part of `@electric-sql/pglite` that is used: its types are not needed to build. */
export interface Pglite extends PgliteQueries {
  transaction<Result>(act: (transaction: PgliteQueries) => Promise<Result>): Promise<Result>;
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/** PostgreSQL in this process, for tests and trials: one process, one connection, and no server. */
export function pgliteDriver(database: Pglite): SqlDriver {
  return {
    ...queriesOf(database),
    transaction: (act) => database.transaction((transaction) => act(queriesOf(transaction))),
    async listen(channel, heard) {
      const end = await database.listen(channel, heard);
      return () => void end().catch(() => undefined);
    },
    close: () => database.close(),
  };
}

function queriesOf(database: PgliteQueries): Sql {
  return {
    async query(text, parameters = []) {
      const { rows } = await database.query(text, [...parameters]);
      return rows.filter(isRow);
    },
  };
}

function isRow(row: unknown): row is SqlRow {
  return typeof row === 'object' && row !== null;
}
