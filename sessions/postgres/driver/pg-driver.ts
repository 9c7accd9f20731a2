// P4 A connection of its own that cannot do what it is for is ended: who wants one tries again and again.
import { once } from '../../../src/core/index.js';
import { lineTo } from './address.js';
import type { ConnectionFacts } from './password-file.js';
import { passwordFor, WANTS_PASSWORD } from './password-file.js';
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

/** The part of `pg` that is used: its types are not needed to build. */
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
  /** Makes a new connection of a pool ready, before anybody has it. */
  readonly verify?: (client: PgPoolClient, done: (failed?: unknown) => void) => void;
  readonly application_name?: string;
  /** The connections of a pool. */
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

interface PgPoolClient extends PgQueries {
  release(error?: boolean): void;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

interface PgClient extends PgQueries {
  /** Asked for when the server wants one; absent where neither the address nor the environment has it. */
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
/** Whoever has no answer by then has lost the connection, whatever it says. */
const QUERY_MS = 30_000;
/** Programs that look again at the version of the tables while they run. Those of 0.2.0 and before are called `hitl`. */
const LOOKS_AGAIN = 'hitl/1';
const KEEP_ALIVE_MS = 10_000;
const PING_MS = 5_000;

/** All that we write says itself what it depends on, and is tried again where that changed: no stricter order is wanted. */
const PEACEFUL = `set default_transaction_isolation = 'read committed'`;

/** A connection of our own is idle by design. PostgreSQL 13 has no such setting. */
const UNENDING = `select set_config(name, '0', false) from pg_settings where name = 'idle_session_timeout'`;

/** The server finds out that a machine is gone, whose process holds the lock that says it lives. */
const FIND_OUT = [
  'set tcp_keepalives_idle = 10',
  'set tcp_keepalives_interval = 5',
  'set tcp_keepalives_count = 2',
];

/** A server of PostgreSQL by the package `pg`. */
export function pgDriver({ Pool, Client: Bare }: PgModule, url: string): SqlDriver {
  const Client = withPasswordFile(Bare);
  const config: PgConfig = {
    connectionString: lineTo(url, process.env['PGHOST']).address, // P5
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: QUERY_MS,
    application_name: LOOKS_AGAIN,
  };
  const pool = new Pool({
    ...config,
    Client,
    max: MOST_CONNECTIONS,
    allowExitOnIdle: true,
    verify: (client, done) => {
      client.query(PEACEFUL).then(() => {
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

  /** A connection that is no part of the pool, for as long as somebody has a use for it. */
  async function connected(): Promise<Station> {
    const client = new Client(config);
    const made = new Station(client, () => {
      own.delete(client); // P2
    });
    await client.connect();
    own.add(client);
    return made;
  }

  /** Takes the one connection of our own for a use, and makes it ready for that (P4). */
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

  return {
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
    async lockConnection(key, lost) {
      return used(lost, async (found, use) => {
        for (const setting of [...FIND_OUT, UNENDING]) await found.query(setting);
        const [row] = await found.query('select pg_try_advisory_lock($1::int, $2::int) as locked', key);
        if (row?.['locked'] !== true) {
          await use.end();
          return undefined;
        }
        found.client.unref(); // P3
        return {
          answers: async () => {
            if (await isDoneSoon(found.query('select 1'))) return;
            found.gone(new Error('the connection to the database does not answer'));
          },
          close: async () => {
            if (use.isOn()) await isDoneSoon(found.query('select pg_advisory_unlock($1::int, $2::int)', key));
            await use.end();
          },
        } satisfies LockConnection;
      });
    },
    async close() {
      await isDoneSoon(Promise.all([...own].map((client) => client.end()).concat(pool.end()))); // a silent line says no farewell
    },
  };
}

/** Clients that look into the file of passwords themselves: `pg` warns of its own look at each start. */
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

/** Somebody's use of a connection. */
interface Use {
  isOn(): boolean;
  /** The last one to end ends the connection. */
  end(): Promise<void>;
}

/** A connection of our own, for several uses; it ends with the last of them, or tells all of them that it is gone. */
class Station {
  readonly client: PgClient;
  readonly #ended: () => void;
  readonly #uses = new Set<(why: unknown) => void>();
  #last: Promise<unknown> = Promise.resolve();
  #isGone = false;

  constructor(client: PgClient, ended: () => void) {
    this.client = client;
    this.#ended = ended;
    client.on('error', (why) => {
      this.gone(why); // P1
    });
    client.on('end', () => {
      this.gone(new Error('the connection to the database ended'));
    });
  }

  /** A use of it, from now on; `undefined` where it is gone. @param lost is called once when it goes */
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

  /** Asks one thing after the other. */
  async query(text: string, values?: readonly unknown[]): Promise<readonly SqlRow[]> {
    const asked = this.#last.then(() => this.client.query(text, values));
    this.#last = asked.catch(() => undefined); // whoever asked is told
    return (await asked).rows;
  }

  /** It failed, ended, or does not answer: nobody has a use for it any more (P2). */
  gone(why: unknown): void {
    const uses = [...this.#uses];
    this.#uses.clear();
    if (!this.#isGone) void this.client.end().catch(() => undefined);
    this.#isGone = true;
    this.#ended();
    for (const told of uses) told(why);
  }
}

/** True where something was done in a short time, and did not fail. */
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
    await client.query('begin');
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
