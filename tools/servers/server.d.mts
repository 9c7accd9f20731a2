import type { PgModule } from '../../sessions/postgres/index.js';

/** The driver of PostgreSQL. */
export const pg: PgModule;

/** A server of PostgreSQL of its own, on a free loopback port. */
export interface TestServer {
  /** With its password. */
  readonly url: string;
  /** Ends the server as a machine does that fails, and starts it again. */
  crash(): Promise<void>;
  /** Ends all connections, shuts the server down in order, and starts it again. */
  restart(): Promise<void>;
  /** Ends the server as a machine does that is gone for good. */
  fail(): Promise<void>;
  /** Ends the server, and removes all that it kept. */
  stop(): Promise<void>;
}

/**
 * Starts a server, and waits until it answers; with the base backup of another one, it needs `pg_basebackup` beside the
 * programs of `POSTGRES_BIN`, and may follow that one until it is promoted.
 */
export function startServer(options?: {
  readonly from?: string;
  readonly follows?: boolean;
}): Promise<TestServer>;
