import { HitlError } from '../../src/core/index.js';
import type { Sql, SqlDriver, SqlRow } from './driver/sql-driver.js';
import { numberIn, stateOf } from './driver/sql-driver.js';

// Invariants:
// M1 A migration runs once, whoever comes first: all of them under one lock, in one transaction.
// M2 A migration that was released is never changed; a new one follows it.
// M3 Bytes of journals and mails are text: what is summed and chained comes back as it was.
// M4 A program goes on with tables that are newer than it knows, where the version that made them says so: what older
//    programs can ignore does not lock them out, and what they cannot does.
// M5 What older programs cannot read is written only where they are locked out: from the start in a database that this
//    version made, else from when its operator says that all programs are upgraded.

/**
 * The first of the two numbers that identify our advisory locks. The second is 0 for the schema, -1 for the
 * removal of old changes, and otherwise the number of a process.
 */
export const LOCK_SPACE = 4711;

const FIRST = [
  `create table hitl_session (
    sid bigint generated always as identity primary key,
    space text collate "C" not null,
    id text collate "C" not null,
    version bigint not null,
    prev text not null,
    fence bigint not null,
    holder integer,
    lease_until timestamptz,
    mail_lock text,
    mail_until timestamptz,
    status text not null,
    title text not null,
    words text not null,
    turns integer not null,
    waiting integer not null,
    created_at text collate "C" not null,
    updated_at text collate "C" not null,
    until_at text collate "C",
    due_at timestamptz,
    attempts integer not null default 0,
    unique (space, id)
  ) with (fillfactor = 85)`,
  `create index hitl_session_newest on hitl_session (space, updated_at desc, id desc)`,
  `create index hitl_session_due on hitl_session (due_at) where due_at is not null`,
  `create table hitl_event (
    sid bigint not null references hitl_session on delete cascade,
    seq bigint not null,
    line text not null,
    resolves text collate "C",
    primary key (sid, seq)
  )`,
  `create unique index hitl_event_resolves on hitl_event (sid, resolves) where resolves is not null`,
  `create table hitl_open (
    sid bigint not null references hitl_session on delete cascade,
    interrupt text collate "C" not null,
    number integer not null,
    space text collate "C" not null,
    session text collate "C" not null,
    kind text not null,
    tool text,
    raised_at text collate "C" not null,
    body text not null,
    primary key (sid, interrupt)
  )`,
  `create index hitl_open_oldest on hitl_open (space, raised_at, session, number)`,
  `create table hitl_mail (
    n bigint generated always as identity primary key,
    sid bigint not null references hitl_session on delete cascade,
    line text not null
  )`,
  `create index hitl_mail_session on hitl_mail (sid, n)`,
  `create table hitl_output (
    sid bigint not null references hitl_session on delete cascade,
    name text collate "C" not null,
    bytes bytea not null,
    primary key (sid, name)
  )`,
];

/** For workers: adds the last failure, and sets the due time of sessions that are waiting for a time. */
const WORK = [
  `alter table hitl_session add column failure text`,
  `update hitl_session set due_at = until_at::timestamptz where until_at is not null`,
];

/**
 * For notifications: delivery notes. A note is not part of a session and may exist for a while after the
 * session is removed.
 */
const SENDING = [
  `create table hitl_delivery (
    space text collate "C" not null,
    key text collate "C" not null,
    revision integer not null,
    body text not null,
    primary key (space, key)
  )`,
];

/**
 * Time at which a session continues: when it is due or has queued input, but not before the pause after a
 * failure ends.
 */
export const GO_AT = `case when least(s.due_at, s.wake_at) is not null
  then greatest(least(s.due_at, s.wake_at), s.again_at) end`;

/**
 * For queued input: the number of items queued and processed, and the time since which an item has been
 * unprocessed. Also the end of the pause after a failure, which is not recorded in the journal.
 */
const LOOKING = [
  `alter table hitl_session add column wakes bigint not null default 0,
    add column looked bigint not null default 0,
    add column wake_at timestamptz,
    add column again_at timestamptz`,
  `drop index hitl_session_due`,
  `create index hitl_session_go on hitl_session ((${GO_AT.replaceAll('s.', '')}))
    where holder is null and least(due_at, wake_at) is not null`,
  `create index hitl_session_held on hitl_session (lease_until) where holder is not null`,
  `create table hitl_chore (name text primary key, at timestamptz not null)`,
  `insert into hitl_chore values ('release', '-infinity')`,
];

/** How long changes are kept, and the number of changes between removals of older ones. */
const CHANGES_KEPT = `interval '10 minutes'`;
const CHANGES_REMOVED_AFTER = 512;

/**
 * Returns an SQL expression for the status that lists show while the lease of a row lasts, for use in a
 * trigger.
 */
function statusOf(row: 'old' | 'new'): string {
  return `case when ${row}.status <> 'waiting' and ${row}.holder is not null then 'running' else ${row}.status end`;
}

/**
 * For lists and watches: indexes for the filters of lists, and a row with the transaction number for each
 * change to a session. Writers remove the rows for changes after a few minutes.
 */
const FINDING = [
  `create index hitl_session_status on hitl_session (space, status, updated_at desc, id desc)`,
  `create index hitl_session_failing on hitl_session (space, again_at) where attempts >= 5`,
  `create index hitl_open_tool on hitl_open (space, tool, raised_at, session, number) where tool is not null`,
  `create index hitl_open_kind on hitl_open (space, kind, raised_at, session, number)`,
  `create table hitl_change (
    n bigint generated always as identity,
    xid xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp(),
    space text collate "C" not null,
    session text collate "C" not null,
    was_status text,
    was_waiting integer,
    was_updated text collate "C",
    status text,
    waiting integer,
    updated text collate "C"
  )`,
  `create index hitl_change_xid on hitl_change (space, xid)`,
  `create index hitl_change_at on hitl_change (at)`,
  `create function hitl_note_change() returns trigger language plpgsql as $$
    declare
      noted bigint;
    begin
      if tg_op = 'INSERT' then
        insert into hitl_change (space, session, status, waiting, updated)
          values (new.space, new.id, ${statusOf('new')}, new.waiting, new.updated_at) returning n into noted;
      elsif tg_op = 'DELETE' then
        insert into hitl_change (space, session, was_status, was_waiting, was_updated)
          values (old.space, old.id, ${statusOf('old')}, old.waiting, old.updated_at) returning n into noted;
      else
        insert into hitl_change (space, session, was_status, was_waiting, was_updated, status, waiting, updated)
          values (new.space, new.id, ${statusOf('old')}, old.waiting, old.updated_at,
            ${statusOf('new')}, new.waiting, new.updated_at) returning n into noted;
      end if;
      if noted % ${CHANGES_REMOVED_AFTER} = 0 and pg_try_advisory_xact_lock(${LOCK_SPACE}, -1) then
        delete from hitl_change where at < now() - ${CHANGES_KEPT};
      end if;
      return null;
    end $$`,
  `create trigger hitl_session_comes_or_goes after insert or delete on hitl_session
    for each row execute function hitl_note_change()`,
  `create trigger hitl_session_changes after update on hitl_session for each row
    when (old.updated_at <> new.updated_at or old.waiting <> new.waiting
      or ${statusOf('old')} <> ${statusOf('new')})
    execute function hitl_note_change()`,
];

/**
 * Returns an SQL expression that extracts a string value from the JSON of a note, without the surrounding
 * quotes. The value may contain escaped quotes.
 */
function noted(name: string): string {
  return String.raw`substring(body from '"${name}":"((?:[^"\\]|\\.)*)"')`;
}

/**
 * For finding notifications through an index (`due.ts`). A note refers to its open question, and the database
 * removes the reference together with the question. `due` is the time of the next check; if empty, the check
 * is due now. Each open question includes the number of the transaction that asked it.
 */
const TELLING = [
  `alter table hitl_delivery
    add column open_sid bigint,
    add column open_interrupt text collate "C",
    add column channel text collate "C" generated always as (${noted('channel')}) stored`,
  `update hitl_delivery d set open_sid = o.sid, open_interrupt = o.interrupt
    from (select space, key, body, ${noted('session')} as session, ${noted('interrupt')} as interrupt,
      ${noted('digest')} as digest from hitl_delivery) n
    join hitl_open o on o.space = n.space and o.session = n.session and o.interrupt = n.interrupt
      and position('"digest":"' || n.digest || '"' in o.body) > 0
    where d.space = n.space and d.key = n.key`,
  `alter table hitl_delivery
    add foreign key (open_sid, open_interrupt) references hitl_open on delete set null,
    add column due text collate "C" generated always as (case
      when ${noted('state')} = 'sending' then ${noted('at')}
      when ${noted('state')} = 'waiting' and (open_sid is not null or ${noted('event')} = 'interrupt.resolved')
        then ${noted('at')}
      when ${noted('state')} in ('waiting', 'sent', 'left') and open_sid is null then '' end) stored`,
  `create index hitl_delivery_due on hitl_delivery (space, channel, due, key) where due is not null`,
  `create index hitl_delivery_open on hitl_delivery (open_sid, open_interrupt, channel) where open_sid is not null`,
  `alter table hitl_open add column asked_in xid8`,
  `alter table hitl_open alter column asked_in set default pg_current_xact_id()`,
  `create index hitl_open_asked on hitl_open (space, asked_in, sid, interrupt)`,
  `create table hitl_told (
    space text collate "C" not null,
    channel text collate "C" not null,
    since text collate "C" not null,
    history text not null,
    seen pg_snapshot not null,
    at timestamptz not null default now(),
    primary key (space, channel, since, history)
  )`,
];

/**
 * For copies: the origin of the tables in each epoch, and the epoch in which each session was last opened. A
 * process that connects records missing values.
 */
const COPIES = [
  `create table hitl_copy (
    epoch bigint primary key,
    at timestamptz not null default now(),
    system text,
    base bigint,
    tables bigint,
    timeline bigint
  )`,
  `insert into hitl_copy (epoch) values (0)`,
  `alter table hitl_session add column epoch bigint not null default 0`,
];

/**
 * For requirements: those of sessions, and for each worker its identity and the requirements that it lacks.
 */
const NEEDS = [
  `alter table hitl_session add column needs text collate "C"`,
  `create index hitl_session_needs on hitl_session (space, needs, (${GO_AT.replaceAll('s.', '')}))
    where holder is null and least(due_at, wake_at) is not null`,
  `create index hitl_session_until on hitl_session (space, until_at)
    where holder is null and until_at is not null`,
  `create table hitl_worker (
    number integer primary key,
    space text collate "C" not null,
    host text not null,
    pid integer not null,
    program text not null,
    slots integer not null,
    busy integer not null,
    needs text[] not null,
    whys text[] not null,
    started_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  ) with (fillfactor = 50)`,
];

/** For packed records and questions: the texts that they share, each stored once. */
const PACKING = [
  `create table hitl_text (digest bytea primary key, text text not null)`,
  `alter table hitl_session add column packing bytea, add column holder_knows integer`,
  `alter table hitl_event add column packed bytea, add column cut integer`,
  `alter table hitl_open add column packed bytea, add column digest bytea`,
];

/**
 * SQL expression for the kind of an open interrupt; `wait` if no person is asked. It is derived from the
 * body, which is never packed for a wait.
 */
export const OPEN_KIND = `case when o.tool is null
    and (position('"wait":"timer"' in o.body) > 0 or position('"wait":"event"' in o.body) > 0)
  then 'wait' else o.kind end`;

/** For status displays: indexes for counting. */
const COUNTING = [
  `create index hitl_open_tally on hitl_open (space, (${OPEN_KIND.replaceAll('o.', '')}), raised_at)`,
];

/**
 * For growing tables: ascending indexes, so that index pages that are full stay full. Lists read the indexes
 * backwards to get the newest sessions first. Only questions can be waits; interrupts of other kinds are
 * counted through `hitl_open_kind`.
 */
const GROWING = [
  `drop index hitl_session_newest`,
  `create index hitl_session_newest on hitl_session (space, updated_at, id)`,
  `drop index hitl_session_status`,
  `create index hitl_session_status on hitl_session (space, status, updated_at, id)`,
  `drop index hitl_open_tally`,
  `create index hitl_open_tally on hitl_open (space, (${OPEN_KIND.replaceAll('o.', '')}), raised_at)
    where kind = 'question'`,
];

/**
 * For the key that signs rows. A program without the key is warned before it writes records that would be
 * void.
 */
const SIGNING = [
  `create table hitl_key (
    space text collate "C" primary key,
    mark text not null,
    host text not null,
    at timestamptz not null default now()
  )`,
];

/** For lists: the working folder in which a session was started. */
const FOLDERS = [`alter table hitl_session add column folder text`];

interface Migration {
  readonly statements: readonly string[];
  /** The oldest version that can use the tables after this migration (M4). */
  readonly readsFrom: number;
  /**
   * Whether rows in the new form cannot be read by older programs. Such rows are not written until it is
   * confirmed that no older programs are in use (M5).
   */
  readonly isHeldBack?: true;
}

/**
 * Last version recorded in `hitl_schema`. Some programs check only this table, and reject any later version
 * in it.
 */
const LAST_OF_SCHEMA = 3;

/** All migrations. The index of each is the version from which it migrates the tables to the next version. */
const MIGRATIONS: readonly Migration[] = [
  { statements: FIRST, readsFrom: 1 },
  { statements: WORK, readsFrom: 2 },
  { statements: SENDING, readsFrom: 3 },
  { statements: LOOKING, readsFrom: 3 },
  { statements: FINDING, readsFrom: 3 },
  { statements: TELLING, readsFrom: 3 },
  { statements: COPIES, readsFrom: 3 },
  { statements: NEEDS, readsFrom: 3 },
  { statements: PACKING, readsFrom: 3, isHeldBack: true },
  { statements: COUNTING, readsFrom: 3 },
  { statements: GROWING, readsFrom: 3 },
  { statements: SIGNING, readsFrom: 3 },
  { statements: FOLDERS, readsFrom: 3 },
];

/**
 * The oldest version that can read everything this version may write. This is the version after the last
 * held-back migration.
 */
const READS_ALL = 1 + MIGRATIONS.findLastIndex(({ isHeldBack }) => isHeldBack === true);

/** The version of the tables, and the oldest version that can use them. */
export interface SchemaVersion {
  readonly version: number;
  readonly readsFrom: number;
}

/**
 * Whether records may be packed. They may be packed once programs that cannot read packed records are
 * rejected (M5).
 */
export function packsAt({ readsFrom }: SchemaVersion): boolean {
  return readsFrom > MIGRATIONS.findIndex(({ statements }) => statements === PACKING);
}

const UNDEFINED_TABLE = '42P01';

/**
 * Creates or migrates the tables. @throws HitlError SESSION_NEWER if a later version has migrated them and
 * this one cannot use them
 */
export async function migrate(driver: SqlDriver): Promise<SchemaVersion> {
  const found = await versionOf(driver);
  if (found.version >= MIGRATIONS.length) return found;
  return driver.transaction(async (sql) => {
    await locked(sql); // M1
    await sql.query(
      'create table if not exists hitl_schema (version integer primary key, at timestamptz not null default now())',
    );
    await sql.query(
      `create table if not exists hitl_version
        (version integer primary key, reads_from integer not null, at timestamptz not null default now())`,
    );
    const { version } = await versionOf(sql);
    for (const [index, { statements, readsFrom }] of MIGRATIONS.entries()) {
      if (index < version) continue;
      for (const statement of statements) await sql.query(statement);
      await sql.query('insert into hitl_version (version, reads_from) values ($1, $2)', [
        index + 1,
        readsFrom,
      ]);
      if (index < LAST_OF_SCHEMA || readsFrom > LAST_OF_SCHEMA)
        await sql.query('insert into hitl_schema (version) values ($1)', [index + 1]);
    }
    if (version === 0) await lockOut(sql);
    return versionOf(sql);
  });
}

/**
 * Permanently rejects all programs that cannot read everything this version may write. From then on, rows may
 * be written in the new forms (M5).
 * @throws HitlError SESSION_NEWER
 */
export async function upgradeSchema(driver: SqlDriver): Promise<void> {
  await driver.transaction(async (sql) => {
    await locked(sql); // M1
    await versionOf(sql);
    await lockOut(sql);
  });
}

async function lockOut(sql: Sql): Promise<void> {
  await sql.query(`alter table hitl_session drop constraint if exists ${TOO_OLD}`);
  await sql.query(
    `alter table hitl_session add constraint ${TOO_OLD}
     check (holder is null or holder_knows is not null) not valid`,
  );
  await sql.query(
    `update hitl_version set reads_from = greatest(reads_from, $1)
     where version = (select max(version) from hitl_version)`,
    [READS_ALL],
  );
  await sql.query(
    'insert into hitl_schema (version) select max(version) from hitl_version on conflict do nothing',
  );
}

/**
 * Name of the constraint that refuses leases to programs that do not check the version repeatedly. These
 * programs show the name in an error.
 */
const TOO_OLD = 'hitl_needs_a_newer_version';

/**
 * The version of the tables that this program knows. Its presence in a lease shows that the holder checks the
 * version of the tables repeatedly.
 */
export const KNOWS = MIGRATIONS.length;

/** Whether the upgrade is confirmed, so that records may be written in the new forms. */
export function isUpgraded({ readsFrom }: SchemaVersion): boolean {
  return readsFrom >= READS_ALL;
}

/**
 * Maximum time to wait for the lock, in seconds. It is limited because any role that can connect could hold
 * the lock.
 */
const LOCK_S = 10;
const LOCK_NOT_AVAILABLE = '55P03';

/** Locks the tables until the transaction ends. @throws HitlError SESSION_LOCKED */
async function locked(sql: Sql): Promise<void> {
  await sql.query(`set local lock_timeout = '${LOCK_S}s'`);
  try {
    await sql.query('select pg_advisory_xact_lock($1::int, 0)', [LOCK_SPACE]);
  } catch (cause) {
    if (stateOf(cause) !== LOCK_NOT_AVAILABLE) throw cause;
    throw new HitlError('SESSION_LOCKED', `another connection has held the table lock for ${LOCK_S} s`, {
      hint: "wait for the process that creates or updates the tables; if there is none, run: select * from pg_locks where locktype = 'advisory'",
      cause,
    });
  }
}

/**
 * Queries for the version of the tables and the oldest version that can use them, in the current form and the
 * earlier one (M4).
 */
const LAST_VERSION = [
  'select max(version) as version, max(reads_from) as reads_from from hitl_version',
  'select max(version) as version, max(version) as reads_from from hitl_schema',
];

/**
 * Returns the version of the tables; 0 if there are none. @throws HitlError SESSION_NEWER if this program
 * cannot use them
 */
export async function versionOf(sql: Sql): Promise<SchemaVersion> {
  for (const text of LAST_VERSION) {
    const [row] = (await unlessMissing(sql, text)) ?? [];
    if (row === undefined) continue;
    if (row['version'] === null) continue;
    const [version, readsFrom] = [numberIn(row, 'version'), numberIn(row, 'reads_from')];
    if (readsFrom > MIGRATIONS.length) throw newer(version);
    return { version, readsFrom };
  }
  return { version: 0, readsFrom: 0 };
}

/** Returns a query's rows; `undefined` if its table does not exist. */
async function unlessMissing(sql: Sql, text: string): Promise<readonly SqlRow[] | undefined> {
  try {
    return await sql.query(text);
  } catch (thrown) {
    if (stateOf(thrown) === UNDEFINED_TABLE) return undefined;
    throw thrown;
  }
}

function newer(version: number): HitlError {
  return new HitlError(
    'SESSION_NEWER',
    `this database's tables are from a newer version (${version}; this program supports ${MIGRATIONS.length})`,
    { hint: 'install a newer version to use this database' },
  );
}
