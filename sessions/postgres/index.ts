export type {
  LockConnection,
  PgDriverOptions,
  Pglite,
  PgModule,
  Sql,
  SqlDriver,
  SqlParameter,
  SqlRow,
} from './driver/index.js';
export { pgDriver, pgliteDriver } from './driver/index.js';
export type { PostgresStoreOptions } from './postgres-store.js';
export { createPostgresStore, PostgresStore } from './postgres-store.js';
