import type { Pglite } from '../../sessions/postgres/index.js';

/** PostgreSQL in this process, as far as tests need it: in memory, or in a folder. */
export const PGlite: { create(folder?: string): Promise<Pglite> };
