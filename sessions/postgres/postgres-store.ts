import type {
  Answer,
  AnswerFate,
  Clock,
  Posted,
  PostOptions,
  RemoveOptions,
  RunState,
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
} from '../../src/core/index.js';
import { checkSessionId } from '../../src/core/index.js';
import { fateOfAnswer, MessageQueue, postAnswer } from '../inbox/index.js';
import { copyingRows } from './copying.js';
import { Database } from './database.js';
import { deliveryRows } from './deliveries.js';
import type { SqlDriver } from './driver/index.js';
import { countWaiting, listRows, resolveRow, seenRows, waitingRows } from './listing.js';
import { createRow, openRow, readRow, removeRow } from './opening.js';
import type { OpeningWorld } from './opening.js';
import { outputRows } from './outputs.js';
import { PostgresInbox } from './postgres-inbox.js';
import { inUse, Presence } from './presence.js';
import { Bell, DUE, watchRows } from './watching/index.js';
import { PostgresWorklist } from './worklist.js';

/** The things that a store of sessions in PostgreSQL needs of the world. */
export interface PostgresStoreOptions {
  /**
   * The address of the database, `postgres://…` (by the package `pg`) or `pglite:<folder>` (by
   * `@electric-sql/pglite`); or a driver, which is left open when the store is closed.
   */
  readonly connection: string | SqlDriver;
  readonly clock: Clock;
  /** Unpredictable bytes: `randomBytes` of `node:crypto`. */
  readonly random: (size: number) => Uint8Array;
  /** Keeps sessions of several programs in one database apart. Default `default`. */
  readonly space?: string;
  /** The folder of this machine for files that tools keep beside a session. Default: none may. */
  readonly files?: string;
}

/** Sessions as rows of a database that several machines share. */
export class PostgresStore implements SessionStore, AsyncDisposable {
  readonly capabilities: StoreCapabilities;
  readonly #world: OpeningWorld;
  readonly #database: Database;
  readonly #presence: Presence;
  readonly #clock: Clock;
  readonly #space: string;
  readonly #bell: Bell;

  constructor({ connection, clock, random, space = 'default', files }: PostgresStoreOptions) {
    this.#database = new Database(connection);
    this.#presence = new Presence(this.#database, clock, random);
    this.#bell = new Bell(() => this.#database.driver());
    this.#clock = clock;
    this.#space = space;
    this.#world = {
      database: this.#database,
      presence: this.#presence,
      clock,
      random,
      space,
      inboxOf: (id, state) =>
        new PostgresInbox({ database: this.#database, clock, random, space, id, state }),
    };
    this.capabilities = {
      shared: true,
      durable: true,
      outputs: outputRows(this.#database, space, files),
      copying: copyingRows(this.#database, space),
      deliveries: deliveryRows(this.#database, space),
      worklist: new PostgresWorklist(this.#world, this.#bell, clock),
    };
  }

  async create(init: SessionInit): Promise<Session> {
    return createRow(this.#world, init);
  }

  async open(id: SessionId, mode: 'read' | 'write'): Promise<Session> {
    const checked = checkSessionId(id);
    return mode === 'read' ? readRow(this.#world, checked) : openRow(this.#world, checked);
  }

  async resolve(text: string): Promise<SessionId> {
    return resolveRow(this.#database, this.#space, text);
  }

  async *list(query: SessionQuery = {}): AsyncGenerator<SessionSummary> {
    yield* listRows(this.#database, this.#space, query);
  }

  async isWritten(id: SessionId): Promise<boolean> {
    const condition = inUse(await this.#database.asked());
    const rows = await this.#database.read(
      `session ${checkSessionId(id)}`,
      `select s.sid from hitl_session s where s.space = $1 and s.id = $2 and ${condition}`,
      [this.#space, id],
    );
    return rows.length > 0;
  }

  async remove(id: SessionId, options: RemoveOptions = {}): Promise<void> {
    await removeRow(this.#world, checkSessionId(id), options);
  }

  async *waiting(query: WaitingQuery = {}): AsyncGenerator<WaitingItem> {
    yield* waitingRows(this.#database, this.#space, query);
  }

  async waitingCount(query: WaitingQuery = {}): Promise<number> {
    return countWaiting(this.#database, this.#space, query);
  }

  async post(id: SessionId, answer: Answer, options: PostOptions = {}): Promise<Posted> {
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

  /** Ends the connections that it made. Sessions that are open lose their place. */
  async close(): Promise<void> {
    await this.#presence.close();
    await this.#database.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async *#watched(signal: AbortSignal): AsyncGenerator<StoreChange> {
    using ear = this.#bell.ear((notice) => notice !== DUE);
    yield* watchRows(seenRows(this.#database, this.#space), ear, this.#clock, signal);
  }

  #inboxOf(id: SessionId): PostgresInbox {
    const state = async (): Promise<RunState> => (await readRow(this.#world, id)).state;
    return this.#world.inboxOf(checkSessionId(id), state);
  }
}

/** A store of sessions in PostgreSQL. Nothing is connected before it is asked for. */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  return new PostgresStore(options);
}
