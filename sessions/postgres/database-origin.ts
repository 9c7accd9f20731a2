import type { Call, OriginSeen, RunState, StoreOrigin, UnderWay } from '../../src/core/index.js';
import { checkSessionId, HitlError } from '../../src/core/index.js';
import type { Owner } from '../seal/authorship.js';
import type { Database } from './database.js';
import type { Sql, SqlDriver, SqlRow } from './driver/sql-driver.js';
import { isAway, numberIn, stateOf, textIn } from './driver/sql-driver.js';
import { loadRows } from './load.js';
import type { Texts } from './packing.js';

// Invariants:
// C1 A session goes on only where its rows were written: the statement that takes its lease compares the place of the
//    tables with the one that was noted. A dump that was restored has other tables, in another database or cluster.
// C2 A backup that was restored begins an epoch. A session of another epoch is taken over before whoever opened it has
//    it: what was approved is void, and what may have begun is a doubt. Which epoch it is, is read behind its lease.
// C3 An epoch begins in one transaction, while nobody takes a lease: whoever had one before has it no more.
// C4 A base backup is the same place. That its server was promoted is told, and voids nothing: so is one that took over
//    from another and lacks nothing.

/** Identifiers of the database and its tables, which are not included in a dump. */
const BASE = `(select d.oid::bigint from pg_database d where d.datname = current_database())`;
const TABLES = `'hitl_session'::regclass::oid::bigint`;
const SYSTEM = `(select c.system_identifier::text from pg_control_system() c)`;
const TIMELINE = `('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint`;

const LAST = `(select l.epoch from hitl_copy l order by l.epoch desc limit 1)`;

/** The current epoch. */
export const EPOCH = LAST;

/** Time at which the last backup was restored, in ISO 8601; `null` if none was restored. */
export const RESTORED_AT = `(select to_char(l.at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  from hitl_copy l where l.epoch > 0 order by l.epoch desc limit 1)`;

/** Condition for a session `s` that was last opened before the database was last restored (C2). */
export const IS_OF_COPY = `s.epoch is distinct from ${EPOCH}`;

/** Minimum interval between repeated checks, in milliseconds. */
const LOOK_MS = 5_000;
/** Maximum number of sessions that a survey reads. */
const MOST_SURVEYED = 1_000;
const LOCK_S = 10;

export interface OriginOptions {
  readonly database: Database;
  readonly texts: Texts;
  readonly space: string;
  readonly owner: (id: ReturnType<typeof checkSessionId>) => Owner | undefined;
  /** Returns a monotonic time in milliseconds. */
  readonly now: () => number;
  /** Called once if the server has been promoted since the database's origin was declared. */
  readonly promoted: (seen: { readonly from: number; readonly to: number }) => void;
}

/** Determines whether a database is a copy or the one in which its sessions were written. */
export class Origin implements StoreOrigin {
  readonly #options: OriginOptions;
  #system = 'null::text';
  #timeline = 'null::bigint';
  #looked = -Infinity;
  #isTold = false;

  constructor(options: OriginOptions) {
    this.#options = options;
  }

  /**
   * SQL condition that the tables are in the database in which their sessions were written (C1). Available
   * after the first query.
   */
  get fits(): string {
    const isSystem = `(m.system is null or ${this.#system} is null or m.system = ${this.#system})`;
    return `(select m.base = ${BASE} and m.tables = ${TABLES} and ${isSystem}
      from hitl_copy m where m.epoch = ${LAST})`;
  }

  /**
   * Determines which values this server allows programs to query, and records the origin of new tables.
   * Throws driver errors.
   */
  async learn(driver: SqlDriver): Promise<void> {
    this.#system = (await isAnswered(driver, SYSTEM)) ? SYSTEM : 'null::text';
    this.#timeline = (await isAnswered(driver, TIMELINE)) ? TIMELINE : 'null::bigint';
    const rows = await driver.query('select epoch from hitl_copy where base is null');
    if (rows.length > 0) await driver.query(`update hitl_copy set ${this.#place} where base is null`);
    this.#seen(await driver.query(this.#look));
  }

  get #place(): string {
    return `system = ${this.#system}, base = ${BASE}, tables = ${TABLES}, timeline = ${this.#timeline}`;
  }

  get #look(): string {
    return `select ${this.fits} as fits, ${RESTORED_AT} as restored_at, p.timeline as was, ${this.#timeline} as now
      from (select 1) one left join hitl_copy p on p.epoch = ${LAST}`;
  }

  async look(): Promise<OriginSeen> {
    const { database } = this.#options;
    await database.asked(); // what can be asked is learnt then
    return this.#seen(await database.read('the database', this.#look));
  }

  #seen([row = {}]: Awaited<ReturnType<Sql['query']>>): OriginSeen {
    this.#looked = this.#options.now();
    const isCopy = row['fits'] !== true;
    const isKnown = (row['was'] ?? null) !== null && (row['now'] ?? null) !== null;
    const seen = { isCopy, ...restoredIn(row) };
    if (!isKnown || numberIn(row, 'was') === numberIn(row, 'now')) return seen;
    const promoted = { from: numberIn(row, 'was'), to: numberIn(row, 'now') };
    if (!this.#isTold) this.#options.promoted(promoted);
    this.#isTold = true;
    return { ...seen, promoted };
  }

  /**
   * Checks whether a lease was refused because the database is a copy. @throws HitlError STORE_UNAVAILABLE in
   * a copy
   */
  async check(): Promise<void> {
    const { isCopy } = await this.look();
    if (!isCopy) return;
    throw new HitlError(
      'STORE_UNAVAILABLE',
      'this database is a copy; sessions cannot continue until you run hitl store restored or hitl store moved',
      {
        hint: 'use `restored` for a backup (approved calls ask again), or `moved` for the same database in a new location, if the old one is gone',
      },
    );
  }

  /** Like `check`, but only at intervals. For callers that repeatedly receive no result. */
  async checkSeldom(): Promise<void> {
    if (this.#options.now() - this.#looked >= LOOK_MS) await this.check();
  }

  async survey(): Promise<UnderWay> {
    const { database, texts, space, owner } = this.#options;
    const rows = await database.read(
      'the sessions',
      `select s.sid, s.id, s.packing from hitl_session s where s.space = $1 and s.status <> 'done'
         and (s.holder is not null or s.due_at <= now() or s.wake_at <= now()) limit $2`,
      [space, MOST_SURVEYED + 1],
    );
    const found = { sessions: 0, approved: 0, begun: 0, workflows: 0 };
    for (const row of rows.slice(0, MOST_SURVEYED)) {
      const id = checkSessionId(textIn(row, 'id'));
      const lines = await database.read(
        `session ${id}`,
        'select line, packed, cut from hitl_event where sid = $1 order by seq',
        [numberIn(row, 'sid')],
      );
      const { state } = loadRows(lines, await texts.packerIn(row), owner(id));
      const { approved, begun } = callsIn(state);
      found.sessions += 1;
      found.approved += approved;
      found.begun += begun;
      if (state.graph !== undefined) found.workflows += 1;
    }
    return { ...found, isAll: rows.length <= MOST_SURVEYED };
  }

  async restored(): Promise<void> {
    const { database } = this.#options;
    await database.asked();
    await database.transaction('the database', async (sql) => {
      await sql.query(`set local lock_timeout = '${LOCK_S}s'`);
      await sql.query('lock table hitl_session in share row exclusive mode'); // C3
      await sql.query(
        `insert into hitl_copy (epoch, system, base, tables, timeline)
         values (coalesce(${LAST}, 0) + 1, ${this.#system}, ${BASE}, ${TABLES}, ${this.#timeline})`,
      );
      await sql.query(
        `update hitl_session set fence = fence + 1, holder = null, holder_knows = null, lease_until = null where holder is not null`,
      );
    });
  }

  async moved(): Promise<void> {
    const { database } = this.#options;
    await database.asked();
    await database.change('the database', `update hitl_copy set ${this.#place} where epoch = ${LAST}`);
  }
}

/** Returns the time of the last restore, if the row contains it. */
export function restoredIn(row: SqlRow): { readonly restoredAt?: string } {
  const at = row['restored_at'];
  return typeof at === 'string' ? { restoredAt: at } : {};
}

/** Whether a value can be queried. Not every server permits it. Throws if nothing can be queried. */
async function isAnswered(sql: Sql, value: string): Promise<boolean> {
  try {
    const [row] = await sql.query(`select ${value} is not null as answered`);
    return row?.['answered'] === true;
  } catch (thrown) {
    if (stateOf(thrown) === undefined || isAway(thrown)) throw thrown;
    return false;
  }
}

/** Counts the unfinished calls: those that were approved but not started, and those that were started. */
function callsIn({ open }: RunState): { readonly approved: number; readonly begun: number } {
  const calls: readonly Call[] = open?.calls ?? [];
  const isReady = ({ state, approval }: Call): boolean => state.status === 'ready' && approval !== undefined;
  return {
    approved: calls.filter(isReady).length,
    begun: calls.filter(({ state }) => state.status === 'started').length,
  };
}
