import type { Pglite } from '../../sessions/postgres/index.js';

/** Starts PostgreSQL in this process, in memory. */
export function createPglite(): Promise<Pglite>;
