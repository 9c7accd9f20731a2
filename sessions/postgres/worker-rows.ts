import os from 'node:os';

import type { LiveWorker, SessionId, UnservedNeed, WorkerNow, Workers } from '../../src/core/index.js';
import { hasPassed, isoTime } from '../../src/core/index.js';
import { columnText } from './batch.js';
import type { SqlRow } from './driver/sql-driver.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import type { OpeningWorld } from './opening.js';
import { LEASE } from './presence.js';
import { GO_AT } from './schema.js';

// Invariants:
// A1 What a worker says of itself is for people: no claim goes by it, and a row of somebody else decides nothing.
// A2 Whoever was not heard of for the time of a lease does not live, and others remove what it said.

const BEAT_MS = 5_000;
/** How long a worker waits for its row to be removed, in milliseconds. */
const LEAVE_MS = 2_000;
/** Maximum number of missing requirements that a worker reports. The latest ones are kept. */
const MOST_LACKS = 100;
const MOST_TEXT = 200;
const MOST_WORKERS = 200;
const MOST_NEEDS = 50;
const MOST_SESSIONS = 1_001;

const SAY = `with gone as (
    delete from hitl_worker where number in (
      select number from hitl_worker where number <> $1 and seen_at <= now() - ${LEASE} limit 100
      for update skip locked))
  insert into hitl_worker (number, space, host, pid, program, slots, busy, needs, whys)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  on conflict (number) do update set busy = excluded.busy, needs = excluded.needs, whys = excluded.whys,
    seen_at = now()`;

const LIVES = `w.space = $1 and w.seen_at > now() - ${LEASE}`;

const ALIVE = `select w.number, w.host, w.pid, w.program, w.slots, w.busy, w.needs, w.whys,
    coalesce(h.held, 0) as held, ${msOf('w.started_at')} as started, ${msOf('w.seen_at')} as seen
  from hitl_worker w left join (
    select s.holder, count(*) as held from hitl_session s where s.holder is not null group by s.holder) h
    on h.holder = w.number
  where ${LIVES} order by w.started_at, w.number limit ${MOST_WORKERS}`;

/**
 * Queries the requirements that every live worker lacks, and the number of due sessions with each of them.
 * Uses the index on requirements.
 */
const UNSERVED = `with w as materialized (select w.number, w.needs, w.whys from hitl_worker w where ${LIVES}),
  n as materialized (
    select n.needs, min(n.why) as why from w, unnest(w.needs, w.whys) n (needs, why)
    group by n.needs having count(distinct w.number) = (select count(*) from w)),
  c as (
    select n.needs, n.why, (select count(*) from (
      select from hitl_session s where s.space = $1 and s.needs = n.needs and s.holder is null
        and least(s.due_at, s.wake_at) is not null and ${GO_AT} <= now()
        and ($2::text is null or s.id = $2) limit ${MOST_SESSIONS}) s) as sessions from n)
  select needs, why, sessions from c where sessions > 0 order by sessions desc, needs limit ${MOST_NEEDS}`;

function msOf(column: string): string {
  return `floor(extract(epoch from ${column}) * 1000)::bigint`;
}

/** Returns the workers, which are stored as rows. Each worker renews its own row. */
export function workerRows(world: OpeningWorld): Workers {
  const { database, space, presence } = world;
  const clock = world.clock.basis ?? world.clock;

  const say = async ({ program, slots, busy, lacks }: WorkerNow): Promise<number> => {
    const me = await presence.me();
    const told = lacks.slice(-MOST_LACKS);
    await database.change('the workers', SAY, [
      ...[me, space, short(os.hostname()), process.pid, short(program), slots, busy],
      ...[told.map(({ needs }) => columnText(needs)), told.map(({ why }) => short(why))],
    ]);
    return me;
  };

  return {
    async announce(now, signal) {
      const said = new Set<number>();
      do {
        try {
          said.add(await say(now()));
        } catch {
          // the next beat says it
        }
      } while (await hasPassed(clock.sleep(BEAT_MS, signal)));
      const leave = 'delete from hitl_worker where number = any($1::int[])';
      const left = database.change('the workers', leave, [[...said]]).catch(() => undefined); // A2
      const waited = new AbortController();
      await Promise.race([left, clock.sleep(LEAVE_MS, waited.signal).catch(() => undefined)]);
      waited.abort();
    },

    async alive() {
      return (await database.read('the workers', ALIVE, [space])).map(workerIn);
    },

    async unserved(session?: SessionId) {
      return (await database.read('the workers', UNSERVED, [space, session ?? null])).map(unservedIn);
    },
  };
}

function short(text: string): string {
  return columnText(text).slice(0, MOST_TEXT);
}

function workerIn(row: SqlRow): LiveWorker {
  const whys = textsIn(row, 'whys');
  return {
    number: numberIn(row, 'number'),
    host: short(textIn(row, 'host')),
    pid: numberIn(row, 'pid'),
    program: short(textIn(row, 'program')),
    slots: numberIn(row, 'slots'),
    busy: numberIn(row, 'busy'),
    held: numberIn(row, 'held'),
    startedAt: isoTime(numberIn(row, 'started')),
    seenAt: isoTime(numberIn(row, 'seen')),
    lacks: textsIn(row, 'needs').map((needs, index) => ({ needs, why: whys[index] ?? '' })),
  };
}

function unservedIn(row: SqlRow): UnservedNeed {
  return {
    needs: short(textIn(row, 'needs')),
    why: short(textIn(row, 'why')),
    sessions: numberIn(row, 'sessions'),
  };
}

function textsIn(row: SqlRow, column: string): readonly string[] {
  const value = row[column];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [];
  return texts.flatMap((text) => (typeof text === 'string' ? [short(text)] : [])).slice(0, MOST_LACKS);
}
