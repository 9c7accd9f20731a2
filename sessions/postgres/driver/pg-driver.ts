// P4 A connection of its own that cannot do what it is for is ended: who wants one tries again and again.
import { HitlError, once } from '../../../src/core/index.js';
import { lineTo } from './database-address.js';
import type { ConnectionFacts } from './password-file.js';
import { passwordFor, WANTS_PASSWORD } from './password-file.js';
import { isLent, processOf } from './pooler.js';
import type { LockConnection, Sql, SqlDriver, SqlRow } from './sql-driver.js';

// Invariants:
// P1 Every connection has a listener for errors, also while nothing is asked of it: without one the end of the server
//    would be the end of this process.
// P2 A connection that failed is not kept: what comes next makes a new one.
// P5 The password goes to another host over a line that is encrypted and verified, unless the address says otherwise.
// P6 Nothing is waited for without end: a query has a time limit, and a connection that is asked nothing is asked
//    whether it is there.
// P3 No connection keeps the process alive once nothing is asked of it.
// P7 An idle process has two connections at most: one of the pool, and one that hears and holds the lock.
// P8 Nothing is set on a connection of the pool that a pooler may lend to others: what has to be said for a transaction is
//    said as it begins.
// P9 The connection of our own is one of the server for as long as it lasts. Where a pooler lends, it goes by the address
//    for locks; without one, nothing begins.

/** The part of `pg` that is used. Declared here so that the build does not require the package's types. */
export interface PgModule {
  readonly Pool: new (config: PgConfig) => PgPool;
  readonly Client: new (config: PgConfig) => PgClient;
}

interface PgConfig {
  readonly connectionString: string;
  readonly max?: number;
  readonly allowExitOnIdle?: boolean;
  readonly keepAlive?: boolean;
  readonly keepAliveInitialDelayMillis?: number;
  readonly connectionTimeoutMillis?: number;
  readonly query_timeout?: number;
  /** Prepares a new connection in the pool before its first use. */
  readonly verify?: (client: PgPoolClient, done: (failed?: unknown) => void) => void;
  readonly application_name?: string;
  /** The class to use for connections in the pool. */
  readonly Client?: PgModule['Client'];
}

interface PgQueries {
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly SqlRow[] }>;
}

interface PgPool extends PgQueries {
  connect(): Promise<PgPoolClient>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'connect', listener: (client: PgPoolClient) => void): unknown;
}

interface PgConnection extends PgQueries {
  /** The id of the server process, as reported when connecting. A pooler reports a number of its own. */
  readonly processID?: number | null;
}

interface PgPoolClient extends PgConnection {
  release(error?: boolean): void;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

interface PgClient extends PgConnection {
  /**
   * The password, or a function that is called when the server requires one. Absent if neither the URL nor
   * the environment contains a password.
   */
  password?: unknown;
  connect(): Promise<unknown>;
  end(): Promise<void>;
  unref(): void;
  on(event: 'error', listener: (error: unknown) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(
    event: 'notification',
    listener: (told: { readonly channel: string; readonly payload?: string }) => void,
  ): unknown;
}

const MOST_CONNECTIONS = 8;
const CONNECT_MS = 10_000;
/** A connection that does not reply within this time, in milliseconds, is considered lost. */
const QUERY_MS = 30_000;
/**
 * Application name of programs that check the version of the tables repeatedly while running. Versions 0.2.0
 * and earlier use the name `hitl`.
 */
const LOOKS_AGAIN = 'hitl/1';
const KEEP_ALIVE_MS = 10_000;
const PING_MS = 5_000;

/**
 * Sets the isolation level. Our statements check their own conditions and are retried after concurrent
 * changes, so they do not need a stricter level. If the server process does not have the expected number,
 * changes nothing and returns no row (P8).
 */
const PEACEFUL = `select set_config('default_transaction_isolation', 'read committed', false)
  where pg_backend_pid() = $1::int`;
const BEGIN = 'begin isolation level read committed';

/**
 * Disables the idle timeout, because our own connection is usually idle. PostgreSQL 13 does not have this
 * setting.
 */
const UNENDING = `select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`;

/** Settings that let the server detect when a machine holding a liveness lock is no longer reachable. */
const FIND_OUT = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 2',
];

/**
 * First number of the lock that is used to test whether locks are held and visible. The second number is the
 * id of this process.
 */
const TRIAL_SPACE = 4712;

/** Queries whether a lock is held, in the same way as lease checks do. */
const SEEN = `select from pg_locks l where l.locktype = 'advisory' and l.granted and l.objsubid = 2
  and l.classid::bigint = $1::bigint and l.objid::bigint = $2::bigint
  and l.database = (select d.oid from pg_database d where d.datname = current_database())`;

/** PostgreSQL driver options in addition to the URL. */
export interface PgDriverOptions {
  /**
   * The URL of the same database without a connection pooler, for the one connection that holds locks and
   * receives notices. Used only if the other URL goes through a pooler. Default: all connections use the same
   * URL.
   */
  readonly locks?: string;
}

/**
 * Creates a driver for PostgreSQL that uses the `pg` package.
 * @param options the URL for locks, which is required if a pooler in transaction mode is used
 */
export function pgDriver(
  { Pool, Client: Bare }: PgModule,
  url: string,
  options: PgDriverOptions = {},
): SqlDriver {
  const Client = withPasswordFile(Bare);
  const { locks } = options;
  const configOf = (address: string): PgConfig => ({
    connectionString: lineTo(address, process.env['PGHOST']).address, // P5
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: LOOKS_AGAIN,
  });
  const config = configOf(url);
  let isPooled: boolean | undefined;
  const pool = new Pool({
    ...config,
    Client,
    max: MOST_CONNECTIONS,
    allowExitOnIdle: true,
    verify: (client, done) => {
      client.query(PEACEFUL, [client.processID ?? 0]).then(({ rows }) => {
        isPooled = rows.length === 0;
        done();
      }, done);
    },
  });
  pool.on('error', () => undefined); // P1: an idle one failed, and is out of the pool
  pool.on('connect', (client) => {
    client.on('error', () => undefined); // P1: whoever asked it is told by the query
  });
  const own = new Set<PgClient>();
  let station: Promise<Station> | undefined; // P7

  /** Opens our own connection outside the pool. It stays open while it is in use. */
  async function connected(): Promise<Station> {
    const way = locks !== undefined && (await leadsThroughPooler()) ? configOf(locks) : config;
    const client = new Client(way);
    const made = new Station(client, () => {
      own.delete(client); // P2
    });
    await client.connect();
    own.add(client);
    try {
      const process = await made.settled();
      if (process !== client.processID && (await isLent(client, process, () => beside(way))))
        throw lent(way === config); // P9
    } catch (thrown) {
      made.gone(thrown);
      throw thrown;
    }
    return made;
  }

  /** Opens another connection with the same settings. */
  async function beside(way: PgConfig): Promise<PgClient> {
    const client = new Client(way);
    client.on('error', () => undefined); // P1: whoever asked it is told by the query
    await client.connect();
    return client;
  }

  /**
   * Whether the process numbers of the pool's connections differ from the server's, which means that there is
   * a pooler.
   */
  async function leadsThroughPooler(): Promise<boolean> {
    if (isPooled === undefined) (await pool.connect()).release();
    return isPooled === true;
  }

  /** Runs `make` with our own connection, which is opened if necessary (P4). */
  async function used<Result>(
    lost: (why: unknown) => void,
    make: (station: Station, use: Use) => Promise<Result>,
  ): Promise<Result> {
    for (;;) {
      const taken = (station ??= connected());
      const found = await taken.catch((thrown: unknown) => {
        if (station === taken) station = undefined;
        throw thrown;
      });
      const use = found.taken(lost);
      if (use === undefined) {
        if (station === taken) station = undefined;
        continue; // it went meanwhile
      }
      try {
        return await make(found, use);
      } catch (thrown) {
        await use.end();
        throw thrown;
      }
    }
  }

  /** @param isBrief whether the connection keeps this process running until it is closed (P3) */
  async function locked(
    key: readonly [number, number],
    lost: (why: unknown) => void,
    isBrief: boolean,
  ): Promise<LockConnection | undefined> {
    return used(lost, async (found, use) => {
      for (const setting of [...FIND_OUT, UNENDING]) await found.query(setting);
      const [row] = await found.query('select pg_try_advisory_lock($1::int, $2::int) as locked', key);
      if (row?.['locked'] !== true) {
        await use.end();
        return undefined;
      }
      if (locks !== undefined && (await pool.query(SEEN, key)).rows.length === 0) throw elsewhere(); // P9
      if (!isBrief) found.client.unref(); // P3
      return {
        answers: async () => {
          if (await isDoneSoon(found.stays())) return;
          found.gone(new Error('the database connection is not responding'));
        },
        close: async () => {
          if (use.isOn()) await isDoneSoon(found.query('select pg_advisory_unlock($1::int, $2::int)', key));
          await use.end();
        },
      } satisfies LockConnection;
    });
  }

  return {
    lockConnection: (key, lost) => locked(key, lost, false),
    async ready() {
      if (!(await leadsThroughPooler())) return;
      const trial = await locked([TRIAL_SPACE, process.pid], () => undefined, true);
      await trial?.close();
    },
    async query(text, parameters = []) {
      return (await pool.query(text, parameters)).rows;
    },
    async transaction(act) {
      return inTransaction(await pool.connect(), act);
    },
    async listen(channel, heard, lost = () => undefined) {
      return used(lost, async (found, use) => {
        found.client.on('notification', (told) => {
          if (told.channel === channel && use.isOn()) heard(told.payload ?? '');
        });
        await found.query(UNENDING);
        await found.query(`listen ${channel}`);
        found.client.unref(); // P3
        return () => void use.end();
      });
    },
    async close() {
      await isDoneSoon(Promise.all([...own].map((client) => client.end()).concat(pool.end()))); // a silent line says no farewell
    },
  };
}

/**
 * Returns a client class that reads the password file itself, because `pg` prints a warning each time it
 * reads the file.
 */
function withPasswordFile(Client: PgModule['Client']): PgModule['Client'] {
  return class extends Client {
    constructor(config: PgConfig) {
      super(config);
      this.password ??= (facts: ConnectionFacts) => {
        const found = passwordFor(facts);
        if (found !== undefined) return found;
        setImmediate(() => void this.end().catch(() => undefined)); // the server waits a minute for one
        throw new Error(WANTS_PASSWORD);
      };
    }
  };
}

/** One caller's use of a connection. */
interface Use {
  isOn(): boolean;
  /** Ends this use. The connection is closed when the last use ends. */
  end(): Promise<void>;
}

/**
 * Our own connection, shared by several callers. It is closed when the last use ends. If it is lost, all
 * callers are notified.
 */
class Station {
  readonly client: PgClient;
  readonly #ended: () => void;
  readonly #uses = new Set<(why: unknown) => void>();
  #process: number | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isGone = false;

  constructor(client: PgClient, ended: () => void) {
    this.client = client;
    this.#ended = ended;
    client.on('error', (why) => {
      this.gone(why); // P1
    });
    client.on('end', () => {
      this.gone(new Error('the database connection ended'));
    });
  }

  /**
   * Registers a use of the connection; returns `undefined` if the connection is lost. @param lost called once
   * when the connection is lost
   */
  taken(lost: (why: unknown) => void): Use | undefined {
    if (this.#isGone) return undefined;
    const told = once(lost);
    this.#uses.add(told);
    return {
      isOn: () => this.#uses.has(told),
      end: async () => {
        if (!this.#uses.delete(told) || this.#uses.size > 0) return;
        this.#isGone = true;
        this.#ended();
        await this.client.end().catch(() => undefined);
      },
    };
  }

  /** Returns the id of the server process that answers the connection, and remembers it for later checks. */
  async settled(): Promise<number> {
    this.#process = await processOf(this.client);
    return this.#process;
  }

  /** Rejects if the connection does not respond, or if a different server process responds (P9). */
  async stays(): Promise<void> {
    const [row] = await this.query('select pg_backend_pid() as pid');
    if (Number(row?.['pid']) !== this.#process) throw new Error('a different server connection responded');
  }

  /** Runs queries one after the other. */
  async query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]> {
    const asked = this.#last.then(() => this.client.query(text, values));
    this.#last = asked.catch(() => undefined); // whoever asked is told
    return (await asked).rows;
  }

  /**
   * Marks the connection as unusable after it failed, was closed or stopped responding (P2). Notifies all
   * callers.
   */
  gone(why: unknown): void {
    const uses = [...this.#uses];
    this.#uses.clear();
    if (!this.#isGone) void this.client.end().catch(() => undefined);
    this.#isGone = true;
    this.#ended();
    for (const told of uses) told(why);
  }
}

/**
 * Creates the error for a URL that goes through a pooler in transaction mode, where a lock does not belong to
 * a single client.
 */
function lent(isOnlyAddress: boolean): HitlError {
  return isOnlyAddress
    ? new HitlError(
        'BAD_CONFIG',
        'the database is behind a pooler in transaction mode, which cannot hold session locks',
        {
          hint: 'set a URL without the pooler for locks: HITL_STORE_LOCKS=postgres://…; keep the other settings',
        },
      )
    : new HitlError(
        'BAD_CONFIG',
        'the URL for locks goes through a pooler in transaction mode, which cannot hold session locks',
        { hint: "set the server's own URL, without a pooler: HITL_STORE_LOCKS=postgres://…" },
      );
}

/**
 * Creates the error for a lock that was acquired through the URL for locks but is not visible through the
 * store's URL.
 */
function elsewhere(): HitlError {
  return new HitlError('BAD_CONFIG', 'the URL for locks and the store URL point to different databases', {
    hint: 'use the same database on the same server, without the pooler: HITL_STORE_LOCKS=postgres://…',
  });
}

/** Whether an operation succeeds within a short time. */
async function isDoneSoon(doing: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, PING_MS, false);
  });
  try {
    return await Promise.race([doing.then(() => true), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

async function inTransaction<Result>(
  client: PgPoolClient,
  act: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  try {
    await client.query(BEGIN);
    const result = await act({
      query: async (text, parameters = []) => (await client.query(text, parameters)).rows,
    });
    await client.query('commit');
    client.release();
    return result;
  } catch (thrown) {
    const isBroken = await client.query('rollback').then(
      () => false,
      () => true,
    );
    client.release(isBroken); // P2
    throw thrown;
  }
}
