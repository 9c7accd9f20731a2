import type { Clock } from '../../src/core/index.js';
import { HitlError, hasPassed } from '../../src/core/index.js';
import type { Database } from './database.js';
import type { LockConnection, SqlDriver } from './driver/sql-driver.js';
import { numberIn } from './driver/sql-driver.js';
import { LOCK_SPACE } from './schema.js';

// Invariants:
// L1 A writer has a lease in the row of its session, and a fence that counts leases; every append names the fence, so
//    that whoever lost the lease writes nothing more, whatever it believes.
// L2 A process holds an advisory lock on a connection of its own: where that is gone, so is the process, and its leases
//    count no more. Where there is no such lock, a lease counts for its whole time.
// L3 All moments are the server's: clocks of machines are not compared.
// L4 Whoever could not renew for as long as a lease lasts counts as having lost it, by their own clock, whatever they wait
//    for: a lease is counted from when its renewal was sent.
// L5 Whose lock is gone is found out by one of all once a second, whatever asks: workers with nothing to do, whoever
//    watches or lists. What reads many sessions goes by their rows.

/** How long a lease lasts without renewal, in milliseconds. */
const LEASE_MS = 15_000;
const RENEW_MS = 5_000;
const MOST_TRIES = 5;
const NUMBERS = 2 ** 31 - 1;

/**
 * SQL condition that the row `s` has a lease that has not expired. The process that held it may have crashed.
 */
export const LEASED = `(s.holder is not null and s.lease_until > now())`;

/**
 * Returns an SQL condition that the lease of the row `s` is currently held, for statements about a single
 * session. Reads the database's locks only if the lease has not expired (L5).
 */
export function inUse(driver: SqlDriver): string {
  return driver.lockConnection === undefined
    ? LEASED
    : `case when ${LEASED} then s.holder::bigint in (select l.objid::bigint from pg_locks l
        join pg_database d on d.oid = l.database
        where l.locktype = 'advisory' and l.classid = ${LOCK_SPACE} and l.objsubid = 2
          and l.granted and d.datname = current_database()) else false end`;
}

/**
 * Releases the leases of all dead processes. Every process that uses the database does this once a second,
 * with a single query if no lease is held (L5).
 * @returns true if any lease was released
 */
export async function giveBack(database: Database): Promise<boolean> {
  const condition = inUse(await database.asked());
  const rows = await database.change(
    'the sessions',
    `with turn as (
      select name from hitl_chore where name = 'release' and at <= now() - interval '1 second'
        and exists (select from (select from hitl_session where holder is not null order by lease_until limit 1) h)
      for update skip locked),
    taken as (update hitl_chore c set at = now() from turn where c.name = turn.name returning c.name)
    update hitl_session s set holder = null, holder_knows = null, lease_until = null from taken
    where s.holder is not null and not ${condition} returning s.sid`,
  );
  return rows.length > 0;
}

/** A lease's duration as a SQL interval. */
export const LEASE = `interval '${LEASE_MS} milliseconds'`;

interface Held {
  readonly sid: number;
  readonly fence: number;
  readonly lost: (why: HitlError) => void;
  /** Time at which the last renewal of the lease was sent, by the clock of this process. */
  renewed: number;
}

/** Registers this process as a writer, with a number, and renews its leases. */
export class Presence {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #random: (size: number) => Uint8Array;
  readonly #held = new Set<Held>();
  #me: Promise<number> | undefined;
  #lock: { readonly connection: LockConnection; readonly lost: AbortSignal } | undefined;
  /** Time at which the connection that holds the lock was last checked. */
  #asked = -Infinity;
  #renewing: AbortController | undefined;

  constructor(database: Database, clock: Clock, random: (size: number) => Uint8Array) {
    this.#database = database;
    this.#clock = clock;
    this.#random = random;
  }

  /** Returns the number of this process after registering it as alive. Throws driver errors. */
  async me(): Promise<number> {
    await this.#askLock();
    const me = (this.#me ??= this.#join());
    try {
      return await me;
    } catch (thrown) {
      if (this.#me === me) this.#me = undefined; // the next one tries again
      throw thrown;
    }
  }

  /**
   * Renews a lease at regular intervals.
   * @param lost called when the lease is lost
   * @returns a function that stops renewing the lease
   */
  hold(sid: number, fence: number, lost: (why: HitlError) => void): () => void {
    const held = { sid, fence, lost, renewed: this.#clock.now() };
    this.#held.add(held);
    if (this.#renewing === undefined) void this.#renew();
    return () => {
      this.#held.delete(held);
      if (this.#held.size > 0) return;
      this.#renewing?.abort();
      this.#renewing = undefined;
    };
  }

  async close(): Promise<void> {
    this.#renewing?.abort();
    const lock = this.#lock;
    this.#lock = undefined;
    this.#me = undefined;
    await lock?.connection.close();
  }

  async #join(): Promise<number> {
    const { lockConnection } = await this.#database.driver();
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const me = 1 + (Buffer.from(this.#random(4)).readUInt32BE() % NUMBERS);
      if (lockConnection === undefined) return me;
      const lost = new AbortController();
      const lock = await lockConnection([LOCK_SPACE, me], (why) => {
        lost.abort(why);
        this.#gone(lost.signal);
      });
      if (lock === undefined) continue;
      lost.signal.throwIfAborted(); // it may be gone before it is ours
      this.#lock = { connection: lock, lost: lost.signal };
      this.#asked = this.#clock.now();
      return me;
    }
    throw new HitlError('LOCK_UNAVAILABLE', 'the database refused a lock to this process', {
      hint: 'connect directly to the server, not through a pooler that shares connections',
    });
  }

  /**
   * Handles the loss of the lock. Other processes now treat this one as dead and may take its leases (L2).
   */
  #gone(lost: AbortSignal): void {
    if (this.#lock?.lost !== lost) return;
    this.#lock = undefined;
    this.#me = undefined;
    this.#dropAll("the lock's connection ended");
  }

  /**
   * Checks the connection that holds the lock. If it does not respond, treats it as lost, because such a loss
   * is not reported in any other way.
   */
  async #askLock(): Promise<void> {
    const now = this.#clock.now();
    if (this.#lock === undefined || now - this.#asked < RENEW_MS) return;
    this.#asked = now;
    await this.#lock.connection.answers();
  }

  async #renew(): Promise<void> {
    const stop = (this.#renewing = new AbortController());
    while (await hasPassed(this.#clock.sleep(RENEW_MS, stop.signal))) {
      const sent = this.#clock.now();
      for (const held of [...this.#held])
        if (sent - held.renewed >= LEASE_MS) this.#drop(held, 'the database is not responding'); // L4
      void this.#renewAll([...this.#held], sent).catch(() => undefined); // the time says what that means
      void this.#askLock();
    }
  }

  async #renewAll(asked: readonly Held[], sent: number): Promise<void> {
    const driver = await this.#database.driver();
    const rows = await driver.query(
      `update hitl_session s set lease_until = now() + ${LEASE}
       from unnest($1::bigint[], $2::bigint[]) as r (sid, fence)
       where s.sid = r.sid and s.fence = r.fence and s.holder is not null returning s.sid`,
      [asked.map(({ sid }) => sid), asked.map(({ fence }) => fence)],
    );
    const kept = new Set(rows.map((row) => numberIn(row, 'sid')));
    for (const held of asked) {
      if (kept.has(held.sid)) held.renewed = Math.max(held.renewed, sent);
      else this.#drop(held, 'another process holds it');
    }
  }

  #dropAll(why: string): void {
    for (const held of [...this.#held]) this.#drop(held, why);
  }

  #drop(held: Held, why: string): void {
    if (this.#held.delete(held)) held.lost(leaseLost(why));
  }
}

function leaseLost(why: string): HitlError {
  return new HitlError('VERSION_CONFLICT', `the session lease is lost: ${why}`, {
    hint: 'reopen the session: it continues after the last saved event',
  });
}
