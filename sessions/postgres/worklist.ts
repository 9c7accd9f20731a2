import type { AbandonedSession, ClaimOptions, Session, Worklist } from '../../src/core/index.js';
import { checkSessionId, isHitlError, messageOf } from '../../src/core/index.js';
import { MOST_ATTEMPTS, pauseMs } from '../working/index.js';
import type { SqlRow } from './driver/index.js';
import { numberIn, textIn } from './driver/index.js';
import type { OpeningWorld } from './opening.js';
import { openClaimed } from './opening.js';
import { inUse, LEASE } from './presence.js';
import type { Bell } from './watching/index.js';
import { DUE } from './watching/index.js';

// Invariants:
// W1 A session is claimed by one statement, which takes its lease: of all who ask one has it, and none waits.
// W2 A claim counts as an attempt until the session rests: also of whoever dies of it.
// W3 What arrived behind a claim keeps the session due: it rests only where nobody came meanwhile.

/** The longest time between two looks, in milliseconds: what is told may be lost. */
const POLL_MS = 500;

/** Sessions with something to do, in the order of their moments. */
export class PostgresWorklist implements Worklist {
  readonly #world: OpeningWorld;
  /** The last mail that was there when a session was claimed (W3). */
  readonly #marks = new WeakMap<Session, number>();
  readonly #bell: Bell;

  constructor(world: OpeningWorld, bell: Bell) {
    this.#world = world;
    this.#bell = bell;
  }

  async claim(signal: AbortSignal, options: ClaimOptions = {}): Promise<Session | undefined> {
    using ear = this.#bell.ear((notice) => notice === DUE);
    while (!signal.aborted) {
      ear.taken(); // what is told from here on may be later than the look
      const found = await this.#claimed(options);
      if (found === 'none') await ear.rung(this.#world.clock, POLL_MS, signal);
      else if (found !== 'unreadable') return found;
    }
    return undefined;
  }

  async #claimed({ without }: ClaimOptions): Promise<Session | 'none' | 'unreadable'> {
    const { database, presence, space } = this.#world;
    const driver = await database.asked();
    const me = await presence.me();
    const [row] = await database.change(
      'a session that is due',
      `with c as (
         select s.sid from hitl_session s
         where s.space = $1 and s.due_at <= now() and s.attempts < ${MOST_ATTEMPTS}
           and not (s.id = any($3::text[])) and not ${inUse(driver)}
         order by s.due_at limit 1 for no key update skip locked)
       update hitl_session s
       set holder = $2, fence = s.fence + 1, lease_until = now() + ${LEASE}, attempts = s.attempts + 1
       from c where s.sid = c.sid
       returning s.sid, s.id, s.fence, s.prev, s.attempts,
         (select coalesce(max(m.n), 0) from hitl_mail m where m.sid = s.sid) as mark`,
      [space, me, [...(without?.() ?? [])]],
    );
    if (row === undefined) return 'none';
    const place = placeIn(row);
    try {
      const session = await openClaimed(this.#world, place, textIn(row, 'prev'));
      this.#marks.set(session, numberIn(row, 'mark'));
      return session;
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      await this.#later(place, messageOf(thrown));
      return 'unreadable';
    }
  }

  async rest(session: Session, at?: number): Promise<boolean> {
    const { database, space } = this.#world;
    const due = at === undefined ? null : new Date(at).toISOString();
    const rows = await database.change(
      `session ${session.id}`,
      `update hitl_session s set attempts = 0, failure = null,
         due_at = case when s.version <> $3 or exists (select from hitl_mail m where m.sid = s.sid and m.n > $4)
           then now() else $5::text::timestamptz end
       where s.space = $1 and s.id = $2
       returning (s.version = $3 and not exists (select from hitl_mail m where m.sid = s.sid and m.n > $4)) as rests`,
      [space, session.id, session.version, this.#marks.get(session) ?? 0, due],
    );
    return rows[0]?.['rests'] === true;
  }

  async postpone(session: Session, { message }: { readonly message: string }): Promise<void> {
    await this.#later({ id: session.id }, message);
  }

  async #later({ id }: Pick<Session, 'id'>, why: string): Promise<void> {
    const { database, space } = this.#world;
    const pauses = Array.from({ length: MOST_ATTEMPTS }, (_, index) => pauseMs(index + 1));
    await database.change(
      `session ${id}`,
      `update hitl_session set failure = $3,
         due_at = now() + ($4::int[])[greatest(1, least(attempts, ${MOST_ATTEMPTS}))] * interval '1 millisecond'
       where space = $1 and id = $2`,
      [space, id, why.replaceAll('\0', ''), pauses],
    );
  }

  async *abandoned(): AsyncGenerator<AbandonedSession> {
    const { database, space } = this.#world;
    const rows = await database.read(
      'the sessions',
      `select id, title, attempts, failure from hitl_session
       where space = $1 and due_at is not null and attempts >= ${MOST_ATTEMPTS} order by due_at`,
      [space],
    );
    for (const row of rows) {
      const why = row['failure'];
      yield {
        session: checkSessionId(textIn(row, 'id')),
        title: textIn(row, 'title'),
        attempts: numberIn(row, 'attempts'),
        ...(typeof why === 'string' && { why }),
      };
    }
  }
}

function placeIn(row: SqlRow) {
  return {
    id: checkSessionId(textIn(row, 'id')),
    sid: numberIn(row, 'sid'),
    fence: numberIn(row, 'fence'),
  };
}
