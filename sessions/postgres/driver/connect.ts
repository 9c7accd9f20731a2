import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { HitlError, membersOf } from '../../../src/core/index.js';
import { FOLDER, SERVER, shownAddress } from './database-address.js';
import type { SqlDriver, Sql, SqlRow } from './sql-driver.js';
import type { PgModule } from './pg-driver.js';
import { pgDriver } from './pg-driver.js';

interface PgliteQueries {
  query(text: string, parameters?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/**
 * The part of `@electric-sql/pglite` that is used. Declared here so that the build does not require the
 * package's types.
 */
export interface Pglite extends PgliteQueries {
  transaction<Result>(act: (transaction: PgliteQueries) => Promise<Result>): Promise<Result>;
  listen(channel: string, heard: (payload: string) => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * Creates a driver for an in-process PostgreSQL database, for tests and trials. It needs no server, but is
 * limited to one process and one connection.
 */
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

/**
 * Connects to the database at a URL, using the package that the URL requires.
 * @param locks the URL of the same database without a connection pooler. Default: the same URL
 * @throws HitlError USAGE
 */
export async function connectTo(address: string, locks?: string): Promise<SqlDriver> {
  if (address.startsWith(FOLDER)) {
    const { PGlite } = await peer('@electric-sql/pglite', '0.5', isPgliteModule);
    return pgliteDriver(await PGlite.create(address.slice(FOLDER.length)));
  }
  for (const one of [address, locks ?? address]) {
    if (SERVER.test(one) && URL.canParse(one)) continue;
    throw new HitlError('USAGE', `\`${shownAddress(one)}\` is not a database URL`, {
      hint: 'use postgres://user:password@host:5432/database, with special characters encoded (such as %40)',
    });
  }
  return pgDriver(await peer('pg', '8', isPgModule), address, locks === undefined ? {} : { locks });
}

interface PgliteModule {
  readonly PGlite: { create(folder: string): Promise<Pglite> };
}

/** Returns the command that installs a package where modules in a folder can load it. */
export function installing(wanted: string, from: string): string {
  const [above, ...isInstalled] = from.split(`${path.sep}node_modules${path.sep}`);
  const folder = isInstalled.length > 0 ? above : packageAround(from);
  if (folder === undefined) return `npm install ${wanted}`;
  return existsSync(path.join(folder, 'package.json'))
    ? `in ${folder}: npm install ${wanted}`
    : `npm install -g ${wanted}`;
}

/** Loads an optional package. Checks only the exports that are used. */
async function peer<Module>(
  name: string,
  version: string,
  isModule: (exported: object) => exported is Module & object,
): Promise<Module> {
  const exported: unknown = await import(name).catch((cause: unknown) => {
    throw new HitlError(
      'USAGE',
      `package \`${name}\` is not installed; connecting to this database requires it`,
      {
        hint: installing(`${name}@${version}`, import.meta.dirname),
        cause,
      },
    );
  });
  if (typeof exported === 'object' && exported !== null && isModule(exported)) return exported;
  throw new HitlError('USAGE', `the package \`${name}\` is not the expected one`, {
    hint: installing(`${name}@${version}`, import.meta.dirname),
  });
}

function packageAround(folder: string): string | undefined {
  const above = path.dirname(folder);
  if (nameIn(folder) === 'hitl') return folder;
  return above === folder ? undefined : packageAround(above);
}

/** Returns the name of the package in a folder; `undefined` if the manifest cannot be read. */
function nameIn(folder: string): unknown {
  try {
    return membersOf(JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')))['name'];
  } catch {
    return undefined; // no manifest, or none that tells
  }
}

function isPgModule(exported: object): exported is PgModule {
  return 'Pool' in exported && 'Client' in exported && typeof exported.Client === 'function';
}

function isPgliteModule(exported: object): exported is PgliteModule {
  return 'PGlite' in exported && typeof exported.PGlite === 'function';
}
