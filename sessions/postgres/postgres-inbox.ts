import type { Clock, SessionId } from '../../src/core/index.js';
import { HitlError } from '../../src/core/index.js';
import type { InboxPlace, InboxReading, SessionNow } from '../inbox/inbox-place.js';
import type { InboxRecord } from '../inbox/inbox-record.js';
import { decodeInboxLine, encodeInboxLine } from '../inbox/inbox-record.js';
import type { HeldLock } from '../lock.js';
import type { Owner } from '../seal/authorship.js';
import type { Database } from './database.js';
import type { KeyMark } from './key-mark.js';
import { numberIn, textIn } from './driver/sql-driver.js';
import { LEASE } from './presence.js';
import { tellDue } from './bell.js';

const POLL_MS = 250;
const LOCK_TRIES = 100;
const LOCK_PAUSE_MS = 20;

const LEAVE = `insert into hitl_mail (sid, line) select sid, $4 from hitl_session
  where space = $1 and id = $2 and mail_lock = $3 returning n`;
/**
 * Queues an item for the session's writer. If there is no writer, wakes a worker (W3 of `worklist-rows.ts`).
 */
const LEAVE_AND_WAKE = `with s as (
    update hitl_session set wakes = wakes + 1, wake_at = coalesce(wake_at, now()), again_at = null
    where space = $1 and id = $2 and mail_lock = $3 returning sid, ${tellDue('hitl_session')} as told)
  insert into hitl_mail (sid, line) select sid, $4 from s returning n, (select told from s) as told`;

export interface PostgresInboxOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly random: (size: number) => Uint8Array;
  readonly space: string;
  readonly id: SessionId;
  /** Returns the session, as recorded in its current journal. */
  readonly session: () => Promise<SessionNow>;
  /** Distinguishes records written with our key from all others. Absent if the store has no key. */
  readonly owner?: Owner | undefined;
  /** Checks whether input that this process queues will be accepted. */
  readonly keyMark: KeyMark;
}

/**
 * An inbox stored as rows, each of which contains the same line as an inbox file. The lock on the inbox is a
 * lease in the session's row. A process that holds the lock too long loses it, and anything that the process
 * then takes from the inbox is rejected.
 */
export class PostgresInbox implements InboxPlace {
  readonly id: SessionId;
  readonly session: () => Promise<SessionNow>;
  readonly #options: PostgresInboxOptions;
  /** Number of queued items that wake a worker, as of the last read. */
  #wakes = 0;
  /** The position after the last read, and the number of the last record written with our key. */
  #seen = { end: 0, n: 0 };
  #heldAs: string | undefined;
  #releasing: Promise<void> = Promise.resolve();

  constructor(options: PostgresInboxOptions) {
    this.id = options.id;
    this.session = options.session;
    this.#options = options;
  }

  /** Name of the lock while this process holds it. */
  get heldAs(): string | undefined {
    return this.#heldAs;
  }

  /** Number of queued items that wake a worker, as of the last read. These items have been processed. */
  get wakes(): number {
    return this.#wakes;
  }

  now(): number {
    return this.#options.clock.now();
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return this.#options.clock.sleep(ms, signal);
  }

  random(size: number): Uint8Array {
    return this.#options.random(size);
  }

  async read(from: number): Promise<InboxReading> {
    const { database, space, id } = this.#options;
    const rows = await database.read(
      `the answers for session ${id}`,
      `select s.wakes, m.n, m.line from hitl_session s left join hitl_mail m on m.sid = s.sid and m.n > $3
       where s.space = $1 and s.id = $2 order by m.n`,
      [space, id, from],
    );
    const [first] = rows;
    if (first !== undefined) this.#wakes = numberIn(first, 'wakes');
    const mails = rows.filter(({ n }) => n !== null);
    const records = mails.flatMap((row) => {
      const record = decodeInboxLine(Buffer.from(textIn(row, 'line')), this.#options.owner);
      return record === undefined ? [] : [record];
    });
    const last = mails.at(-1);
    return { records, end: last === undefined ? from : numberIn(last, 'n') };
  }

  async lock(signal: AbortSignal): Promise<HeldLock> {
    const { database, clock, space, id, random, keyMark } = this.#options;
    await keyMark.check();
    await this.#releasing;
    const name = Buffer.from(random(8)).toString('hex');
    for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
      if (tries > 0) await clock.sleep(LOCK_PAUSE_MS, signal);
      signal.throwIfAborted();
      const rows = await database.change(
        `the inbox of session ${id}`,
        `update hitl_session set mail_lock = $3, mail_until = now() + ${LEASE}
         where space = $1 and id = $2 and (mail_lock is null or mail_until <= now()) returning sid`,
        [space, id, name],
      );
      if (rows.length === 0) continue;
      this.#heldAs = name;
      return {
        release: () => {
          if (this.#heldAs === name) this.#heldAs = undefined;
          this.#releasing = this.#release(name);
        },
      };
    }
    throw new HitlError('SESSION_LOCKED', `the inbox of session ${id} is in use`, {
      hint: 'try again in a moment',
    });
  }

  async #release(name: string): Promise<void> {
    const { database, space, id } = this.#options;
    try {
      const driver = await database.driver();
      await driver.query(
        'update hitl_session set mail_lock = null where space = $1 and id = $2 and mail_lock = $3',
        [space, id, name],
      );
    } catch {
      // it runs out
    }
  }

  known(): number {
    return 0; // the database has no other place that its rows could be held against
  }

  async append(record: InboxRecord, past: string): Promise<void> {
    const { database, space, id, owner } = this.#options;
    if (owner !== undefined) await this.#lookAtNumbers();
    const placing = { n: this.#seen.n + 1, past };
    const line = encodeInboxLine(record, owner, placing).toString('utf8').slice(0, -1);
    const what = record.type === 'answer' || record.type === 'refusal' ? 'answer' : 'message';
    const wakes = record.type === 'answer' || (record.type === 'message' && 'event' in record.item);
    const rows = await database.change(`the ${what} for session ${id}`, wakes ? LEAVE_AND_WAKE : LEAVE, [
      space,
      id,
      this.#heldAs ?? '',
      line,
    ]);
    if (rows.length > 0) return;
    throw new HitlError(
      'SAVE_FAILED',
      `could not save the ${what} for session ${id}: another process took over its inbox`,
      {
        hint: 'the write was not confirmed; try again',
      },
    );
  }

  /** Reads new records to determine the number of the last one. */
  async #lookAtNumbers(): Promise<void> {
    const { records, end } = await this.read(this.#seen.end);
    this.#seen = { end, n: records.reduce((last, { n = 0 }) => Math.max(last, n), this.#seen.n) };
  }

  async journalMark(): Promise<number | undefined> {
    const { database, space, id } = this.#options;
    const [row] = await database.read(
      `session ${id}`,
      'select version from hitl_session where space = $1 and id = $2',
      [space, id],
    );
    return row === undefined ? undefined : numberIn(row, 'version');
  }

  async until<T>(look: () => Promise<T | undefined>, signal: AbortSignal): Promise<T> {
    for (;;) {
      signal.throwIfAborted();
      const found = await look();
      if (found !== undefined) return found;
      await this.#options.clock.sleep(POLL_MS, signal);
    }
  }
}
