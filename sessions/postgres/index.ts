export type { LockConnection, Sql, SqlDriver, SqlParameter, SqlRow } from './driver/sql-driver.js';
export type { PgDriverOptions, PgModule } from './driver/pg-driver.js';
export type { Pglite } from './driver/connect.js';
export { pgDriver } from './driver/pg-driver.js';
export { pgliteDriver } from './driver/connect.js';
export type { PostgresStoreOptions } from './postgres-store.js';
export { createPostgresStore, PostgresStore } from './postgres-store.js';
