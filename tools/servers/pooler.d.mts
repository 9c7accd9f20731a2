/** The program of pgbouncer; `undefined` where it is not on this machine. */
export const pgbouncer: string | undefined;

/** A pgbouncer of its own before a server, on a free loopback port. */
export interface TestPooler {
  /** The address of the database through it, with its password. */
  readonly url: string;
  /** Ends it as a machine does that fails, and starts it again. */
  crash(): Promise<void>;
  /** Ends it with all its connections, and starts it again. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a pooler, and waits until it listens. */
export function startPooler(options: {
  /** The address of the server. */
  readonly to: string;
  /** How it lends the connections of the server. */
  readonly mode: 'session' | 'transaction' | 'statement';
  /** The connections of the server that it lends at most. Default 20. */
  readonly size?: number;
  /** Whether it lends the one that was idle longest, and not the one that was idle last. Default false. */
  readonly inTurns?: boolean;
}): Promise<TestPooler>;
