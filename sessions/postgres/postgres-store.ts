import { rm } from 'node:fs/promises';
import path from 'node:path';

import type {
  EventTail,
  Answer,
  AnswerFate,
  Clock,
  Posted,
  PostOptions,
  RemoveOptions,
  Session,
  SessionId,
  SessionInit,
  SessionMail,
  SessionQuery,
  SessionStore,
  SessionSummary,
  StoreCapabilities,
  StoreChange,
  WaitingItem,
  WaitingQuery,
  StoreUpgrade,
  Deliveries,
} from '../../src/core/index.js';
import { checkSessionId, correctedClock } from '../../src/core/index.js';
import { fateOfAnswer, postAnswer } from '../inbox/post-answer.js';
import { MessageQueue } from '../inbox/message-queue.js';
import { ownersOf } from '../folder/store-options.js';
import { changeRows } from './change-rows.js';
import { copyingRows } from './copy-rows.js';
import { Database, notSaved } from './database.js';
import type { SqlDriver } from './driver/sql-driver.js';
import { KeyMark } from './key-mark.js';
import { countRows, countWaiting, listRows, resolveRow, waitingRows } from './list-rows.js';
import { Origin } from './database-origin.js';
import { createRow, openRow, readRow, removeRow, sessionNow, tailRows } from './opening.js';
import type { OpeningWorld } from './opening.js';
import { outputRows } from './output-rows.js';
import { PostgresInbox } from './postgres-inbox.js';
import { Texts } from './packing.js';
import { inUse, Presence } from './presence.js';
import { ServerTime } from './server-time.js';
import { statusOfRows } from './database-status.js';
import { Bell, isDue } from './bell.js';
import { watchRows } from './watch-rows.js';
import { workerRows } from './worker-rows.js';
import { countsOfRows } from './tally-rows.js';
import { PostgresWorklist } from './worklist-rows.js';
import { isUpgraded, upgradeSchema, versionOf } from './schema.js';
import { dueParts } from './due-rows.js';
import type { Questions } from './list-rows.js';
import { ABOUT, aboutOf, noteIn, WHAT } from './note-rows.js';

/** The options and dependencies for a PostgreSQL session store. */
export interface PostgresStoreOptions {
  /**
   * The database URL, `postgres://…` (requires the package `pg`) or `pglite:<folder>` (requires
   * `@electric-sql/pglite`). Alternatively, a driver, which stays open when the store is closed.
   */
  readonly connection: string | SqlDriver;
  /**
   * The URL of the same database without a connection pooler, for the one connection per process that holds
   * locks. Required if `connection` goes through a pooler in transaction mode, and used only then. Ignored if
   * `connection` is a driver, which has its own option for this. Default: the same URL.
   */
  readonly locks?: string;
  readonly clock: Clock;
  /** Returns unpredictable bytes: `randomBytes` of `node:crypto`. */
  readonly random: (size: number) => Uint8Array;
  /** Separates the sessions of several programs that use the same database. Default: `default`. */
  readonly space?: string;
  /** Local folder for files that tools store with a session. Default: tools cannot store files. */
  readonly files?: string;
  /**
   * Returns the store's 32-byte key, which must be the same on every machine that writes to the store.
   * Approvals, answers and messages in rows without a MAC made with this key are ignored. Without a key,
   * anyone who can write to the database can forge them. Default: none.
   */
  readonly key?: () => Uint8Array;
  /**
   * Called once if this machine's clock differs from the database's by more than a second. Receives the
   * difference in milliseconds, which is positive if this machine's clock is ahead. The database's time is
   * used in either case.
   */
  readonly skewed?: (ms: number) => void;
  /**
   * Called once if the server has been promoted since the last `hitl store moved` or `hitl store restored`.
   * Receives the server's timelines at that time and now.
   */
  readonly promoted?: (timelines: { readonly from: number; readonly to: number }) => void;
}

const FIRST = `with ${ABOUT} insert into hitl_delivery (space, key, revision, body, open_sid, open_interrupt)
  select $1, $5, $6::int, $7, q.sid, q.interrupt from (values (1)) one left join q on true
  on conflict (space, key) do nothing returning key`;
const NEXT = `with ${ABOUT}, n as (select q.sid, q.interrupt from (values (1)) one left join q on true)
  update hitl_delivery d set revision = $6, body = $7, open_sid = n.sid, open_interrupt = n.interrupt from n
  where d.space = $1 and d.key = $5 and d.revision = $6::int - 1 returning d.key`;

/**
 * Returns the delivery notes, which are stored as rows. Each change must specify the revision that it
 * replaces.
 */
function deliveryRows(questions: Questions): Deliveries {
  const { database, space } = questions;
  return {
    async *list({ gone = false } = {}) {
      const wanted = gone ? 'and due is not null and open_sid is null' : '';
      const text = `select body from hitl_delivery where space = $1 ${wanted}`;
      for (const row of await database.read(WHAT, text, [space])) {
        const note = noteIn(row);
        if (note !== undefined) yield note;
      }
    },
    due: (target, now) => dueParts({ ...questions, target }, now),
    async put(note) {
      const { key, revision } = note;
      const values = [...aboutOf(space, note), key, revision, JSON.stringify(note)];
      return (await database.change(WHAT, revision === 1 ? FIRST : NEXT, values)).length > 0;
    },
    async drop({ key, revision }) {
      const gone = `delete from hitl_delivery where space = $1 and key = $2 and revision = $3 returning key`;
      return (await database.change(WHAT, gone, [space, key, revision])).length > 0;
    },
  };
}

/** A session store in a database that several machines share. */
export class PostgresStore implements SessionStore, AsyncDisposable {
  readonly capabilities: StoreCapabilities;
  readonly clock: Clock;
  readonly #world: OpeningWorld;
  readonly #bell: Bell;
  readonly #files: string | undefined;

  constructor(options: PostgresStoreOptions) {
    const { connection, random, space = 'default', files, key, skewed = () => undefined } = options;
    const clock = options.clock.correct === undefined ? correctedClock(options.clock) : options.clock;
    const time = new ServerTime(clock, skewed);
    const pace = clock.basis ?? clock;
    const opening = async (driver: SqlDriver): Promise<void> => {
      await time.ask(driver);
      await origin.learn(driver);
    };
    const database = new Database(connection, pace, opening, options.locks);
    const texts = new Texts(database);
    this.clock = clock;
    const owner = ownersOf(key);
    const origin = new Origin({
      ...{ database, texts, space, owner, promoted: options.promoted ?? (() => undefined) },
      now: () => pace.now(),
    });
    const keyMark = new KeyMark({ database, space, key, now: () => pace.now() });
    this.#files = files;
    this.#bell = new Bell(() => database.driver());
    this.#world = {
      database,
      origin,
      keyMark,
      texts,
      presence: new Presence(database, pace, random),
      clock,
      time,
      random,
      space,
      owner,
      inboxOf: (id, session) =>
        new PostgresInbox({ database, clock, random, space, id, session, owner: owner(id), keyMark }),
    };
    const worklist = new PostgresWorklist(this.#world, this.#bell);
    const workers = workerRows(this.#world);
    this.capabilities = {
      shared: true,
      durable: true,
      outputs: outputRows(database, space, files),
      copying: copyingRows({ database, texts, space }),
      deliveries: deliveryRows({ database, texts, space }),
      origin,
      key: keyMark,
      ...{ worklist, workers },
      status: () => statusOfRows(this.#world, { worklist, workers }),
      upgrade: upgradeOf(database),
      tally: async () => (await countsOfRows(database, space)).tally,
      signs: key !== undefined,
    };
  }

  async create(init: SessionInit): Promise<Session> {
    await this.#world.database.known();
    return createRow(this.#world, init);
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<Session> {
    const checked = checkSessionId(id);
    await this.#world.database.known();
    return mode === 'read' ? readRow(this.#world, checked) : openRow(this.#world, checked);
  }

  tail(id: SessionId): EventTail {
    return tailRows(this.#world, id);
  }

  async resolve(text: string): Promise<SessionId> {
    return resolveRow(this.#world.database, this.#world.space, text);
  }

  async *list(query: SessionQuery = {}): AsyncGenerator<SessionSummary> {
    await this.#world.database.known();
    yield* listRows(this.#world.database, this.#world.space, query);
  }

  async listCount(query: SessionQuery = {}): Promise<number> {
    return countRows(this.#world.database, this.#world.space, query);
  }

  async isWritten(id: SessionId): Promise<boolean> {
    const condition = inUse(await this.#world.database.asked());
    const rows = await this.#world.database.read(
      `session ${checkSessionId(id)}`,
      `select s.sid from hitl_session s where s.space = $1 and s.id = $2 and ${condition}`,
      [this.#world.space, id],
    );
    return rows.length > 0;
  }

  async remove(id: SessionId, options: RemoveOptions = {}): Promise<void> {
    await this.#world.database.known();
    await removeRow(this.#world, checkSessionId(id), options);
    // Files of tools stand on this machine, in a folder of the session's name.
    if (this.#files !== undefined) await rm(path.join(this.#files, id), { recursive: true, force: true });
  }

  async *waiting(query: WaitingQuery = {}): AsyncGenerator<WaitingItem> {
    await this.#world.database.known();
    yield* waitingRows(this.#world, query);
  }

  async waitingCount(query: WaitingQuery = {}): Promise<number> {
    return countWaiting(this.#world.database, this.#world.space, query);
  }

  async post(id: SessionId, answer: Answer, options: PostOptions = {}): Promise<Posted> {
    await this.#world.database.known();
    return postAnswer(this.#inboxOf(id), answer, options, () => openRow(this.#world, id));
  }

  async fate(posted: Posted, signal: AbortSignal): Promise<AnswerFate> {
    return fateOfAnswer(this.#inboxOf(posted.session), posted, signal);
  }

  mail(id: SessionId): SessionMail {
    return new MessageQueue(this.#inboxOf(id));
  }

  watch(signal: AbortSignal): AsyncIterable<StoreChange> {
    return this.#watched(signal);
  }

  /** Closes the connections that the store opened. Open sessions lose their leases. */
  async close(): Promise<void> {
    await this.#world.presence.close();
    await this.#world.database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#watched(signal: AbortSignal): AsyncGenerator<StoreChange> {
    using ear = this.#bell.ear((notice) => !isDue(notice));
    yield* watchRows(changeRows(this.#world.database, this.#world.space), ear, this.#world.clock, signal);
  }

  #inboxOf(id: SessionId): PostgresInbox {
    return this.#world.inboxOf(checkSessionId(id), () => sessionNow(this.#world, id));
  }
}

/** Creates a PostgreSQL session store. Connects on first use. */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options);
}

/**
 * Queries the connections of programs that check the version of the tables only at startup: 0.2.0 and
 * earlier.
 */
const OLDER = `select pid, client_addr::text as address from pg_stat_activity
  where datname = current_database() and application_name = 'hitl' order by pid`;

/**
 * Manages the upgrade of tables that programs of several versions share, until it is confirmed that all
 * programs have been upgraded.
 */
function upgradeOf(database: Database): StoreUpgrade {
  return {
    async state() {
      await database.known();
      const isDone = isUpgraded(await versionOf(await database.asked()));
      const rows = await database.read('the connections', OLDER);
      const older = rows.map(({ pid, address }) => ({
        connection: Number(pid),
        ...(typeof address === 'string' && { address }),
      }));
      return { isDone, older };
    },
    async upgrade() {
      try {
        await upgradeSchema(await database.asked());
      } catch (thrown) {
        throw notSaved('the schema version', thrown);
      }
      database.forgetVersion();
    },
  };
}
