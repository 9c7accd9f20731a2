export type { Line } from './address.js';
export { lineTo } from './address.js';
export { connectTo } from './connect.js';
export type { PgModule } from './pg-driver.js';
export { pgDriver } from './pg-driver.js';
export type { Pglite } from './pglite-driver.js';
export { pgliteDriver } from './pglite-driver.js';
export type { LockConnection, Sql, SqlDriver, SqlParameter, SqlRow } from './sql-driver.js';
export { isAway, isTakenBack, isUndecided, numberIn, stateOf, textIn } from './sql-driver.js';
