import type { Clock, SessionId } from '../../src/core/index.js';
import { HitlError, isHitlError } from '../../src/core/index.js';
import type { SessionTip } from '../journal/session-tip.js';
import type { Batch } from './batch.js';
import { FACTS, factsOf, places, writing } from './batch.js';
import type { Database } from './database.js';
import { notSaved } from './database.js';
import type { SqlParameter } from './driver/sql-driver.js';
import { isUndecided, textIn } from './driver/sql-driver.js';
import { LEASE } from './presence.js';

// Invariants:
// A1 A batch is one statement: its records, the facts of its session and its open questions are there, or none of it.
// A2 It is written only behind the version and under the fence that its writer knows.
// A3 A connection that is lost while it is written decides nothing: the chain says whether it was, and if not it is
//    written again. Nobody is told that it failed while that cannot be known, as long as the database comes back.

/** Identifies a writer and the session row that it writes. */
export interface WriterPlace {
  readonly id: SessionId;
  readonly sid: number;
  readonly fence: number;
}

/** The database, and the clock used for waiting between attempts. */
export interface Waiting {
  readonly database: Database;
  readonly clock: Clock;
}

const TRIES = 12;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2000;

/**
 * Writes a batch. The batch is durable when the promise resolves. @throws HitlError SAVE_FAILED,
 * VERSION_CONFLICT
 */
export async function appendBatch(
  { database, clock }: Waiting,
  place: WriterPlace,
  batch: Batch,
  mailLock: string | null,
): Promise<void> {
  const { text, parameters } = statement(place, batch, mailLock);
  const unending = new AbortController().signal;
  let last: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (tries > 0) {
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (tries - 1));
      await clock.sleep(pause, unending);
    }
    try {
      const rows = await (await database.driver()).query(text, parameters);
      if (rows.length === batch.lines.length || (await isThere(database, place, batch.to))) return;
      throw conflict(place.id);
    } catch (thrown) {
      if (isHitlError(thrown) || !isUndecided(thrown)) throw notSaved(`session ${place.id}`, thrown);
      last = thrown; // A3
    }
  }
  throw notSaved(`session ${place.id}`, last);
}

/** Whether the session already ends with the records that were to be written (A3). */
async function isThere(database: Database, { sid }: WriterPlace, to: SessionTip): Promise<boolean> {
  const driver = await database.driver();
  const [row] = await driver.query('select prev from hitl_session where sid = $1', [sid]);
  return row !== undefined && textIn(row, 'prev') === to.prev;
}

function statement(
  { id, sid, fence }: WriterPlace,
  batch: Batch,
  mailLock: string | null,
): { readonly text: string; readonly parameters: readonly SqlParameter[] } {
  const first = 5;
  const values = places(first);
  const facts = FACTS.map((name, index) => `${name} = ${values[index] ?? ''}`).join(', ');
  const head = `update hitl_session set ${facts}, lease_until = now() + ${LEASE}
    where sid = $1 and version = $2 and fence = $3 and ($4::text is null or mail_lock = $4)
    returning sid, space, id`;
  const { text, parameters } = writing(batch, first + FACTS.length);
  return {
    text: `with s as (${head}), ${text}`,
    parameters: [sid, batch.from.seq, fence, mailLock, ...factsOf(id, batch.to), ...parameters],
  };
}

function conflict(id: SessionId): HitlError {
  return new HitlError('VERSION_CONFLICT', `session ${id} was changed by another process`, {
    hint: 'reopen it: it continues after the last saved event',
  });
}
