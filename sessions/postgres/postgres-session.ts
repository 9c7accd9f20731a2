import os from 'node:os';

import type { AppendOptions, Clock, Session, SessionEvent, StoredEvent } from '../../src/core/index.js';
import { HitlError, isHitlError, isoTime, suspending } from '../../src/core/index.js';
import type { InboxPlace, SessionNow } from '../inbox/inbox-place.js';
import { isWanted } from '../inbox/wanted.js';
import type { SessionTip } from '../journal/session-tip.js';
import { checkWritable, closed } from '../journal/open-journal.js';
import { encodeBatch } from '../journal/session-tip.js';
import { FlushQueue } from '../journal/flush-queue.js';
import { recordReader } from '../journal/scan-journal.js';
import { SessionBase } from '../opening/session-base.js';
import { signOf } from '../opening/adoption.js';
import type { Owner } from '../seal/authorship.js';
import type { WriterPlace } from './append.js';
import { appendBatch } from './append.js';
import type { Batch } from './batch.js';
import type { Database } from './database.js';
import type { Packer } from './packing.js';
import { lineIn } from './packing.js';
import type { PostgresInbox } from './postgres-inbox.js';
import type { Presence } from './presence.js';
import { GO_AT } from './schema.js';
import { tellDue } from './bell.js';

/** Records per query. */
const PAGE = 1000;

export interface PostgresSessionOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly place: WriterPlace;
  /** The tip of the session when it was read or created. */
  readonly tip: SessionTip;
  /** The packer for the session's records. Absent if they are not packed. */
  readonly packer: Packer | undefined;
  readonly notices: readonly string[];
  readonly inbox: (session: () => Promise<SessionNow>) => PostgresInbox;
  /** Signs the session's records. Absent if the store has no key. */
  readonly owner?: Owner | undefined;
  /** Absent if the session is open only for reading. */
  readonly presence?: Presence;
}

/** A session whose records are database rows. */
export class PostgresSession extends SessionBase implements Session {
  readonly notices: readonly string[];
  readonly #options: PostgresSessionOptions;
  readonly #lost = new AbortController();
  readonly #inbox: PostgresInbox;
  readonly #flushes = new FlushQueue(() => this.#flush());
  readonly #letGo: () => void;
  #appended: SessionTip;
  #durable: SessionTip;
  #pending: Pick<Batch, 'lines' | 'stored'> = { lines: [], stored: [] };
  #isClosed = false;

  constructor(options: PostgresSessionOptions) {
    super(options.place.id, options.presence === undefined ? 'read' : 'write');
    this.notices = options.notices;
    this.#options = options;
    this.#appended = options.tip;
    this.#durable = options.tip;
    this.#inbox = options.inbox(async () => this.appended);
    const { sid, fence } = options.place;
    const hold = options.presence?.hold(sid, fence, (why) => {
      this.#lost.abort(suspending(why));
    });
    this.#letGo = hold ?? (() => undefined);
  }

  protected get appended(): SessionTip {
    return this.#appended;
  }

  /** The session as it was read, with everything written since. */
  get now(): SessionNow {
    return this.#appended;
  }

  protected get durable(): SessionTip {
    return this.#durable;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  protected override place(): InboxPlace {
    return this.#inbox;
  }

  async append(events: readonly SessionEvent[], { lazily = false }: AppendOptions = {}): Promise<void> {
    checkWritable(this.id, this.mode);
    if (this.#isClosed) throw closed(`session ${this.id}`);
    if (events.length === 0) return;
    const at = isoTime(this.#options.clock.now());
    const writer = {
      pid: process.pid,
      host: os.hostname(),
      at,
      first: this.first,
      sign: signOf(this.#options.owner),
    };
    const { lines, stored, tip } = encodeBatch(this.#appended, events, writer);
    this.#appended = tip;
    this.#pending = {
      lines: [...this.#pending.lines, ...lines],
      stored: [...this.#pending.stored, ...stored],
    };
    await this.listeners.told(this.#flushes.flushed(lazily), () => ({ events: stored, state: tip.state }));
  }

  /** Writes all pending records. If this fails, discards them and all records appended after them. */
  async #flush(): Promise<void> {
    if (this.#pending.lines.length === 0) return;
    const { database, clock, place, packer } = this.#options;
    const batch: Batch = { ...this.#pending, from: this.#durable, to: this.#appended, packer };
    this.#pending = { lines: [], stored: [] };
    try {
      await appendBatch({ database, clock }, place, batch, this.#mailLock(batch));
      this.#durable = batch.to;
    } catch (thrown) {
      this.#pending = { lines: [], stored: [] };
      this.#appended = this.#durable;
      if (isHitlError(thrown) && thrown.code === 'VERSION_CONFLICT') this.#lost.abort(suspending(thrown));
      throw thrown;
    }
  }

  /**
   * Returns the name of the inbox lock, which is required for a batch that delivers or drops messages;
   * otherwise `null`.
   */
  #mailLock({ stored }: Batch): string | null {
    const takes = stored.some(
      ({ event: { type } }) => type === 'inbox-delivered' || type === 'inbox-dropped',
    );
    return takes ? (this.#inbox.heldAs ?? null) : null;
  }

  async *events(): AsyncIterable<StoredEvent> {
    const { database, place, owner, packer } = this.#options;
    const to = this.#durable.seq;
    const next = recordReader(owner);
    for (let from = 0; from < to; from += PAGE) {
      const rows = await database.read(
        `session ${this.id}`,
        'select line, packed, cut from hitl_event where sid = $1 and seq > $2 and seq <= $3 order by seq',
        [place.sid, from, Math.min(to, from + PAGE)],
      );
      for (const row of rows) {
        const stored = next(lineIn(row, packer));
        if (stored === undefined) throw changedMeanwhile(this.id);
        yield stored;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { database, place, presence } = this.#options;
    if (presence === undefined) return;
    try {
      await this.#flushes.idle();
    } finally {
      this.#letGo();
      if (await release(database, place)) await this.#lookAgain();
    }
  }

  /**
   * Marks queued input as processed if the session is not waiting for any of it. Otherwise, leaves it to a
   * worker.
   */
  async #lookAgain(): Promise<void> {
    const { database, place } = this.#options;
    try {
      if (await isWanted(this.#inbox, this.#durable)) return;
      const driver = await database.driver();
      await driver.query(LOOKED_AT, [place.sid, place.fence, this.#inbox.wakes]);
    } catch {
      // a worker looks
    }
  }
}

/**
 * Updates the row only with the counter and fence of the process that checked the input. Input that arrived
 * later is checked separately.
 */
const LOOKED_AT = `update hitl_session
  set looked = greatest(looked, $3), wake_at = case when wakes > $3 then wake_at end
  where sid = $1 and fence = $2`;

/**
 * Releases a lease. If this fails, the lease expires. If the session is due, also sends a notice, because a
 * worker can now claim it.
 * @returns true if unprocessed input remains
 */
export async function release(database: Database, { sid, fence }: Omit<WriterPlace, 'id'>): Promise<boolean> {
  try {
    const driver = await database.driver();
    const [row] = await driver.query(
      `update hitl_session s set holder = null, holder_knows = null, lease_until = null
       where s.sid = $1 and s.fence = $2 returning s.wakes > s.looked as unread,
         case when s.wakes <= s.looked and ${GO_AT} <= now() then ${tellDue('s')} end as told`,
      [sid, fence],
    );
    return row?.['unread'] === true;
  } catch {
    return false; // the lease runs out
  }
}

function changedMeanwhile(id: string): HitlError {
  return new HitlError('SESSION_DAMAGED', `the journal of session ${id} changed while it was being read`, {
    hint: 'read it again',
  });
}
