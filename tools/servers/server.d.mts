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
  /** Ends the server, and removes all that it kept. */
  stop(): Promise<void>;
}

/** Starts a server, and waits until it answers. */
export function startServer(): Promise<TestServer>;
