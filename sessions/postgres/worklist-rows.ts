import type { ClaimOptions, FailingSession, Session, Worklist } from '../../src/core/index.js';
import { checkSessionId, HitlError, isHitlError, messageOf } from '../../src/core/index.js';
import { LAST_PAUSE, MANY_ATTEMPTS, pauseMs } from '../attempt-pause.js';
import { columnText, needsText } from './batch.js';
import type { SqlRow } from './driver/sql-driver.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import type { OpeningWorld } from './opening.js';
import { openClaimed } from './opening.js';
import { giveBack, LEASE } from './presence.js';
import { GO_AT, KNOWS } from './schema.js';
import { SERVER_TIME } from './server-time.js';
import type { Bell } from './bell.js';
import { isDueFor } from './bell.js';

// Invariants:
// W1 A session is claimed by one statement, which takes its lease: of all who ask one has it, and none waits.
// W2 A claim counts as an attempt until the session rests: also of whoever dies of it. No session is given up: pauses grow.
//    A claim of whoever can do nothing with it counts for nothing.
// W3 What was left is looked at. Whoever leaves it counts in the row of the session, and only whoever looked takes that
//    back, as far as was counted when they looked: numbers of one row are compared, which whoever waited for it sees as
//    they are then. No other write of the session takes it back.
// W4 Whoever lost a session puts it off no more: each statement names the fence.
// W5 A worker claims what it can run, as far as it knows, and what is due by time (K1 of `../run-worker.ts`): however many
//    sessions are due that it cannot run, a look reads no more than some of them and one of each need.

/** Longest polling interval, in milliseconds. Polling is necessary because notices may be lost. */
const POLL_MS = 500;
/** Interval between checks for leases of dead processes, in milliseconds. */
const DEAD_MS = 1000;

/** The pause after each number of attempts, in milliseconds. The last one applies to all higher numbers. */
const PAUSES = Array.from({ length: LAST_PAUSE }, (_, index) => pauseMs(index + 1));

/**
 * Returns an SQL expression for the time at which the pause after a number of attempts ends, by the
 * database's clock.
 */
function pauseBehind(attempts: string): string {
  const pauses = `(array[${PAUSES.join(', ')}])[least(greatest(1, ${attempts}), ${LAST_PAUSE})]`;
  return `now() + ${pauses} * interval '1 millisecond'`;
}

/** Properties of a session at the time it was claimed. */
interface Claimed {
  readonly sid: number;
  readonly fence: number;
  /** Number of queued items (W3). */
  readonly wakes: number;
}

/** Sessions with due work, in the order in which they are due. */
export class PostgresWorklist implements Worklist {
  readonly #world: OpeningWorld;
  readonly #claims = new WeakMap<Session, Claimed>();
  readonly #bell: Bell;
  #hasLooked = false;
  #lookedForDead = -Infinity;
  /** The number that this process used for its last claim. */
  #me: number | undefined;

  constructor(world: OpeningWorld, bell: Bell) {
    this.#world = world;
    this.#bell = bell;
  }

  async claim(signal: AbortSignal, options: ClaimOptions = {}): Promise<Session | undefined> {
    await this.#lookedOnce();
    using ear = this.#bell.ear((notice) => isDueFor(notice, this.#me));
    while (!signal.aborted) {
      ear.taken(); // what is told from here on may be later than the look
      const found = await this.#claimed(options);
      options.looked?.();
      if (found === 'none') await ear.rung(this.#world.clock, POLL_MS, signal);
      else if (found !== 'unreadable') return found;
    }
    return undefined;
  }

  /** Once per worker, handles input that was queued by versions that did not count queued items. */
  async #lookedOnce(): Promise<void> {
    if (this.#hasLooked) return;
    const { database, space } = this.#world;
    await database.change('the sessions', LOOK_AT_ALL, [space]);
    this.#hasLooked = true;
  }

  async #claimed({ without, lacking }: ClaimOptions): Promise<Session | 'none' | 'unreadable'> {
    const { database, origin, presence, space, time } = this.#world;
    await database.known();
    await this.#world.keyMark.check();
    const me = (this.#me = await presence.me());
    const others = [...(without?.() ?? [])];
    const { sessions = [], needs = [] } = lacking?.() ?? {};
    const lacks = [[...sessions], [...needs]] as const;
    const isAble = lacks.every(({ length }) => length === 0);
    const [row] = await time.learnt(() =>
      database.change(
        'a due session',
        (isAble ? claimOf : claimAmongOf)(origin.fits),
        isAble ? [space, me, others] : [space, me, others, ...lacks],
      ),
    );
    if (row === undefined) await origin.checkSeldom();
    if (row === undefined) return (await this.#gaveBack()) ? 'unreadable' : 'none';
    const place = placeIn(row);
    try {
      const session = await openClaimed(this.#world, place, textIn(row, 'prev'));
      this.#claims.set(session, { ...place, wakes: numberIn(row, 'wakes') });
      return session;
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      await this.#later(place, messageOf(thrown));
      return 'unreadable';
    }
  }

  /** Releases leases of dead processes, at most once a second. All processes share this work. */
  async #gaveBack(): Promise<boolean> {
    const { clock, database } = this.#world;
    const now = (clock.basis ?? clock).now();
    if (now - this.#lookedForDead < DEAD_MS) return false;
    this.#lookedForDead = now;
    return giveBack(database);
  }

  async rest(session: Session, at?: number): Promise<boolean> {
    const { database } = this.#world;
    const { sid, fence, wakes } = this.#claimOf(session);
    const due = at === undefined ? null : new Date(at).toISOString();
    const rows = await database.change(`session ${session.id}`, REST, [
      sid,
      fence,
      session.version,
      wakes,
      due,
    ]);
    return rows[0]?.['rests'] === true;
  }

  async postpone(session: Session, { message }: { readonly message: string }): Promise<void> {
    await this.#later({ id: session.id, ...this.#claimOf(session) }, message);
  }

  async leave(session: Session): Promise<void> {
    const { sid, fence } = this.#claimOf(session);
    await this.#world.database.change(
      `session ${session.id}`,
      `update hitl_session set attempts = greatest(0, attempts - 1), again_at = null, needs = coalesce($3, needs)
       where sid = $1 and fence = $2`,
      [sid, fence, needsText(session)],
    );
  }

  #claimOf(session: Session): Claimed {
    const claim = this.#claims.get(session);
    if (claim === undefined)
      throw new HitlError('INTERNAL', `session ${session.id} was not claimed by this worker`);
    return claim;
  }

  async #later(
    { id, sid, fence }: { readonly id: string } & Pick<Claimed, 'sid' | 'fence'>,
    why: string,
  ): Promise<void> {
    await this.#world.database.change(
      `session ${id}`,
      `update hitl_session set failure = $3, again_at = ${pauseBehind('attempts')} where sid = $1 and fence = $2`,
      [sid, fence, columnText(why)],
    );
  }

  async *failing(): AsyncGenerator<FailingSession> {
    for (let after: readonly [string, number] = ['-infinity', 0], isLast = false; !isLast;) {
      const rows = await this.#world.database.read('the sessions', FAILING, [this.#world.space, ...after]);
      yield* rows.map(failingIn);
      const last = rows.at(-1);
      isLast = rows.length < FAILING_PAGE;
      if (last !== undefined) after = [textIn(last, 'place'), numberIn(last, 'sid')];
    }
  }
}

const FAILING_PAGE = 100;
const FAILING = `select s.id, s.title, s.attempts, s.failure, s.sid, s.again_at::text as place,
    floor(extract(epoch from s.again_at) * 1000)::bigint as again from hitl_session s
  where s.space = $1 and s.attempts >= ${MANY_ATTEMPTS} and s.holder is null
    and least(s.due_at, s.wake_at) is not null and s.again_at >= $2::timestamptz
    and (s.again_at, s.sid) > ($2::timestamptz, $3::bigint)
  order by s.again_at, s.sid limit ${FAILING_PAGE}`;

function failingIn(row: SqlRow): FailingSession {
  const why = row['failure'];
  return {
    session: checkSessionId(textIn(row, 'id')),
    title: textIn(row, 'title'),
    attempts: numberIn(row, 'attempts'),
    again: numberIn(row, 'again'),
    ...(typeof why === 'string' && { why }),
  };
}

const LOOK_AT_ALL = `update hitl_session s set wakes = s.wakes + 1, wake_at = now()
  where s.space = $1 and s.wake_at is null and s.waiting > 0 and s.sid in (select m.sid from hitl_mail m)`;

/** SQL condition for an unlocked session that is due now or at a later time. */
const FREE = `s.space = $1 and s.holder is null and least(s.due_at, s.wake_at) is not null`;
const DUE_NOW = `${FREE} and ${GO_AT} <= now() and not (s.id = any($3::text[]))`;
/** Rechecks the conditions on the selected row, so that the query can use the index on the row number. */
const STILL_DUE = `s.holder is null and ${GO_AT} <= now()`;
const ONE = 'limit 1 for no key update of s skip locked';

/**
 * Claims the selected session (W1). Also delays the next attempt, in case running the session crashes this
 * process (W2).
 */
const TAKE = `update hitl_session s
  set holder = $2, holder_knows = ${KNOWS}, fence = s.fence + 1, lease_until = now() + ${LEASE}, attempts = s.attempts + 1,
    again_at = ${pauseBehind('s.attempts + 1')}
  from c where s.sid = c.sid
  returning s.sid, s.id, s.fence, s.prev, s.wakes, ${SERVER_TIME}`;

/**
 * Returns an SQL condition that the database is the original (C1 of `database-origin.ts`). It is evaluated
 * only if a row is found, because the server has to read a file to evaluate it.
 */
const inPlace = (fits: string): string => `case when s.sid > 0 then ${fits} end`;

/** Builds the statement that claims the first due session that no other statement has locked. */
function claimOf(fits: string): string {
  return `with c as (select s.sid from hitl_session s where ${DUE_NOW} and ${inPlace(fits)} order by ${GO_AT} ${ONE}) ${TAKE}`;
}

/** Number of due sessions to check individually before searching by requirements. */
const HEAD = 64;
/** The current time in the format used in sessions. */
const NOW_TEXT = `to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
const ABLE = `not (s.id = any($4::text[])) and not coalesce(s.needs = any($5::text[]), false)`;

/**
 * Like `claimOf`, for a worker that lacks something that some sessions require (W5). Claims a session whose
 * timer has expired, or otherwise the longest due session that the worker can run. If the worker can run none
 * of the first due sessions, chooses among the first session of each requirement that it does not lack. With
 * equal bounds, only the index on requirements provides the order.
 */
function claimAmongOf(fits: string): string {
  return `with recursive
  t as (select s.sid from hitl_session s where ${DUE_NOW} and s.until_at <= ${NOW_TEXT} order by s.until_at ${ONE}),
  head as materialized (
    select s.sid, ${GO_AT} as go, ${ABLE} as is_able from hitl_session s where ${DUE_NOW} order by ${GO_AT} limit ${HEAD}),
  h as (select s.sid from head join hitl_session s using (sid)
    where not exists (select from t) and head.is_able and ${STILL_DUE} order by head.go ${ONE}),
  g (goes_on) as (select not exists (select from t) and not exists (select from h) and count(*) = ${HEAD} from head),
  k (needs) as (
    (select s.needs from hitl_session s where (select goes_on from g) and ${FREE} and s.needs is not null order by s.needs limit 1)
    union all
    select (select s.needs from hitl_session s where ${FREE} and s.needs > k.needs order by s.needs limit 1)
    from k where k.needs is not null),
  f as (
    select (select s.sid from hitl_session s
      where s.needs >= k.needs and s.needs <= k.needs and ${DUE_NOW} and not (s.id = any($4::text[]))
      order by s.needs, ${GO_AT} limit 1) as sid
    from k where k.needs is not null and not (k.needs = any($5::text[]))
    union all
    (select s.sid from hitl_session s where (select goes_on from g) and s.needs is null and ${DUE_NOW} and ${ABLE}
     order by ${GO_AT} limit 1)),
  n as (select s.sid from f join hitl_session s using (sid) where ${STILL_DUE} order by ${GO_AT} ${ONE}),
  c as (select s.sid from (select sid from t union all select sid from h union all select sid from n limit 1) s
    where ${inPlace(fits)})
  ${TAKE}`;
}

const REST = `update hitl_session s set attempts = 0, failure = null, again_at = null,
    looked = greatest(s.looked, $4), wake_at = case when s.wakes > $4 then s.wake_at end,
    due_at = case when s.version = $3 then $5::text::timestamptz else s.due_at end
  where s.sid = $1 and s.fence = $2
  returning (s.version = $3 and s.wakes <= $4) as rests`;

function placeIn(row: SqlRow) {
  return {
    id: checkSessionId(textIn(row, 'id')),
    sid: numberIn(row, 'sid'),
    fence: numberIn(row, 'fence'),
  };
}
