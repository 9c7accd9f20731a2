// Invariants:
// Q1 A question is seen by who may answer it, who began its session, or who has the role `read`. A session, its words and
//    its events are seen by the last two alone. Every route reads through here and none reads the store, so no page,
//    list, stream or answer has a rule of its own.
// Q2 What is not seen is not there: it is reported as what does not exist is.
// Q3 Nobody answers without the role `answer`, or what they do not see.
import type {
  Interrupt,
  LiveEvent,
  MessageDraft,
  MessagePage,
  Person,
  ResolvedInterrupt,
  RunState,
  SentMessage,
  SessionId,
  SessionQuery,
  SessionStore,
  SessionSummary,
  StoreChange,
  WaitingItem,
  WaitingQuery,
} from '../../core/index.js';
import {
  checkTakesMessages,
  HitlError,
  isHitlError,
  isQuestion,
  openInterrupt,
  openInterrupts,
  voterProblem,
} from '../../core/index.js';
import type { GivenAnswer, TakenAnswer } from '../answering/take-answer.js';
import { stateOf, takeAnswer } from '../answering/take-answer.js';
import type { Visitor } from '../doors/visitor.js';
import { actorOf, may } from '../doors/visitor.js';
import type { Beginning, ServerWorld, SharedLooks } from '../world.js';
import { isBegunByRequest } from '../world.js';
import type { Listed, Part } from './cursor.js';
import { listSessions, listWaiting } from './cursor.js';

/** A question, open or answered, with the state of its run. */
export interface SeenQuestion {
  readonly state: RunState;
  readonly interrupt?: Interrupt;
  readonly resolved?: ResolvedInterrupt;
}

/** The current state of a session. */
export interface SeenSession {
  readonly id: SessionId;
  readonly state: RunState;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Number of the last event. */
  readonly version: number;
}

/**
 * Session details that are not in its events: whether a process has the session open for writing, and the
 * queued messages.
 */
export interface SeenDelivery {
  readonly isWritten: boolean;
  readonly queue: MessagePage;
}

/** Maximum number of queued messages to show. */
const QUEUED = 10;

/** One visitor's view of a store, and their actions in it. */
export class Sight {
  readonly #world: ServerWorld;
  readonly visitor: Visitor;

  constructor(world: ServerWorld, visitor: Visitor) {
    this.#world = world;
    this.visitor = visitor;
  }

  /**
   * Returns the open questions that are visible to the visitor, oldest first. @throws HitlError BAD_INPUT for
   * an invalid cursor
   */
  async waiting({ all = false, isWanted, ...query }: Waiting): Promise<Listed<WaitingItem>> {
    const isSeen = async (item: WaitingItem): Promise<boolean> => {
      const { session, interrupt } = item;
      return (
        (all || isQuestion(interrupt)) &&
        (this.#seesAll || this.#isAsked(interrupt) || (await this.#began(session))) &&
        (isWanted === undefined || (await isWanted(await this.#shown(item))))
      );
    };
    const seesEach = this.#seesAll && all && isWanted === undefined;
    const part = { ...query, ...(isWanted && { mostLooked: MOST_FILTERED }) };
    const { items, ...more } = await listWaiting(this.#world.store, part, seesEach ? undefined : isSeen);
    return { items: await Promise.all(items.map((item) => this.#shown(item))), ...more };
  }

  /** Returns a question without its folder if the visitor may not see its session (Q1). */
  async #shown(item: WaitingItem): Promise<WaitingItem> {
    if (item.folder === undefined || (await this.sees(item.session))) return item;
    const { folder: _hidden, ...shown } = item;
    return shown;
  }

  /**
   * Returns the sessions that are visible to the visitor, newest first. @throws HitlError BAD_INPUT for an
   * invalid cursor
   */
  sessions({ isWanted, ...query }: Listing): Promise<Listed<SessionSummary>> {
    const isSeen = async (session: SessionSummary): Promise<boolean> =>
      (this.#seesAll || (await this.#began(session.id))) && (isWanted === undefined || isWanted(session));
    const seesEach = this.#seesAll && isWanted === undefined;
    return listSessions(this.#world.store, query, seesEach ? undefined : isSeen);
  }

  /**
   * Returns a session. @throws HitlError SESSION_NOT_FOUND if the session does not exist or is not visible to
   * the visitor (Q2)
   */
  async session(id: SessionId): Promise<SeenSession> {
    if (!(await this.sees(id))) throw noSession();
    await using session = await this.#world.store.open(id, 'read');
    const { state, createdAt, updatedAt, version } = session;
    return { id, state, createdAt, updatedAt, version };
  }

  /**
   * Returns session details that are not in its events. @throws HitlError SESSION_NOT_FOUND if the session
   * does not exist or is not visible to the visitor (Q2)
   */
  async delivery(id: SessionId): Promise<SeenDelivery> {
    if (!(await this.sees(id))) throw noSession();
    const { store } = this.#world;
    const queue = await store.mail(id).list({ pageSize: QUEUED });
    return { isWritten: await store.isWritten(id), queue };
  }

  /** Returns how a session started, or `undefined` if the session is not visible (Q2). */
  async beginning(id: SessionId): Promise<Beginning | undefined> {
    return (await this.sees(id)) ? this.#world.looks.beginning(id) : undefined;
  }

  /** Whether the visitor may see the whole session. */
  async sees(id: SessionId): Promise<boolean> {
    return this.#seesAll || (await this.#began(id));
  }

  /**
   * Whether the visitor started a session. A visitor without a proven identity signed in with a link and is
   * the only user, so this is true for every visible session.
   */
  async asked(id: SessionId): Promise<boolean> {
    return this.visitor.identity === undefined ? this.sees(id) : this.#began(id);
  }

  /** Returns a question in a session, or `undefined` if it is not visible. */
  async question(session: SessionId, id: string): Promise<SeenQuestion | undefined> {
    const state = await stateOf(this.#world.store, session);
    if (state === undefined) return undefined;
    const interrupt = openInterrupt(state, id);
    const resolved = interrupt ? undefined : state.resolved.findLast((one) => one.interrupt.id === id);
    const shown = interrupt ?? resolved?.interrupt;
    if (shown === undefined || !(this.#isAsked(shown) || (await this.sees(session)))) return undefined;
    return { state, ...(interrupt && { interrupt }), ...(resolved && { resolved }) };
  }

  /** Returns a session's open questions that the visitor may see. */
  async open(session: SessionId, state: RunState): Promise<readonly Interrupt[]> {
    const open = openInterrupts(state);
    return (await this.sees(session)) ? open : open.filter((interrupt) => this.#isAsked(interrupt));
  }

  /**
   * Returns a function that yields a session's events after the given number, then new events. @throws
   * HitlError SESSION_NOT_FOUND
   */
  async follow(
    id: SessionId,
    after: number,
  ): Promise<(signal: AbortSignal) => AsyncGenerator<LiveEvent, void, undefined>> {
    if (!(await this.sees(id))) throw noSession();
    const follower = await this.#world.followers.of(id); // what cannot be read is no stream
    return (signal) => this.#whileIn(follower.events(after, signal));
  }

  /** Yields changes to visible sessions as they happen. */
  async *changes(signal: AbortSignal): AsyncGenerator<StoreChange, void, undefined> {
    for await (const change of this.#whileIn(this.#world.changes.from(signal)))
      if (this.#seesAll || (await this.#seesSome(change))) yield change;
  }

  /**
   * Answers a question (Q3). @throws HitlError NOT_ELIGIBLE if the visitor does not have the role `answer`
   */
  async answer(given: Omit<GivenAnswer, 'by'>, via: Person['via']): Promise<TakenAnswer> {
    if (!may(this.visitor, 'answer')) throw lacking(this.visitor, 'answer');
    if (!this.#seesAll && (await this.question(given.session, given.interrupt)) === undefined)
      return { type: 'not-found', why: 'question not found' };
    return takeAnswer(this.#world, { ...given, by: actorOf(this.visitor, via) });
  }

  /**
   * Sends a message to a session that is visible, or that has a visible open question.
   * @throws HitlError SESSION_NOT_FOUND, BAD_INPUT for invalid text or a finished workflow, QUEUE_FULL
   */
  async say(session: SessionId, draft: Omit<MessageDraft, 'from'>): Promise<SentMessage> {
    const { store, patience } = this.#world;
    const state = await stateOf(store, session);
    if (state === undefined || !((await this.sees(session)) || (await this.open(session, state)).length > 0))
      throw noSession();
    checkTakesMessages(session, state);
    return store.mail(session).send({ ...draft, from: actorOf(this.visitor, 'web') }, {}, patience());
  }

  /** Yields items until the visitor's sign-in ends. */
  async *#whileIn<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    for await (const item of items) {
      if (this.visitor.isOver?.() === true) return;
      yield item;
    }
  }

  get #seesAll(): boolean {
    return may(this.visitor, 'read');
  }

  /**
   * Whether a question is for the visitor, that is, whether the visitor may reject it. Requesters may reject
   * their own questions. This only controls visibility; the core checks each answer again.
   */
  #isAsked(interrupt: Interrupt): boolean {
    const no = { by: actorOf(this.visitor, 'web'), resolution: { action: 'cancel' } } as const;
    return may(this.visitor, 'answer') && voterProblem(interrupt, no, {}) === undefined;
  }

  async #began(id: SessionId): Promise<boolean> {
    const { identity } = this.visitor;
    if (identity === undefined || !isBegunByRequest(id)) return false;
    const began = (await this.#world.looks.beginning(id))?.by;
    return began?.issuer === identity.issuer && began.subject === identity.subject;
  }

  async #seesSome(change: StoreChange): Promise<boolean> {
    if (await this.#began(change.session)) return true;
    const state = await this.#world.looks.after(change);
    if (state === undefined) return false;
    const answered = state.resolved.toArray().slice(-MOST_ANSWERED);
    return [...openInterrupts(state), ...answered.map(({ interrupt }) => interrupt)].some((interrupt) =>
      this.#isAsked(interrupt),
    );
  }
}

/**
 * The page of open questions to return. With `all`, the list includes timers and events, which do not need a
 * person.
 */
type Waiting = Part &
  Omit<WaitingQuery, keyof Part> & {
    readonly all?: boolean;
    /** Whether to include a visible item in the list. Default: all are included. */
    readonly isWanted?: (item: WaitingItem) => Promise<boolean> | boolean;
  };

/** Requested sessions. */
type Listing = Part &
  Omit<SessionQuery, 'before' | 'limit'> & {
    /** Whether to include a visible session in the list. Default: all are included. */
    readonly isWanted?: (session: SessionSummary) => boolean;
  };

/**
 * Maximum number of items to examine for one page of a filtered list. It is low because the filter may have
 * to open the session of each item.
 */
const MOST_FILTERED = 500;

/**
 * Number of recently answered questions per session whose approvers are still notified of changes to the
 * session.
 */
const MOST_ANSWERED = 20;

function noSession(): HitlError {
  return new HitlError('SESSION_NOT_FOUND', 'session not found');
}

/** Returns the error for a visitor who does not have a required role. */
export function lacking({ name }: Pick<Visitor, 'name'>, role: string): HitlError {
  return new HitlError('NOT_ELIGIBLE', `${name} does not have the role ${role}`, {
    hint: 'the server administrator assigns roles',
  });
}

/** Maximum number of sessions whose start is cached. */
const MOST_KNOWN = 50_000;

/**
 * Caches shared by all visitors: how each session started (read from its first event), and its state after
 * each change.
 */
export class Looks implements SharedLooks {
  readonly #store: SessionStore;
  readonly #known = new Map<SessionId, Beginning>();
  readonly #after = new WeakMap<StoreChange, Promise<RunState | undefined>>();

  constructor(store: SessionStore) {
    this.#store = store;
  }

  async beginning(id: SessionId): Promise<Beginning | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const found = await this.#read(id);
    if (found === undefined) return undefined;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(id, found);
    return found;
  }

  after(change: StoreChange): Promise<RunState | undefined> {
    const looked = this.#after.get(change) ?? stateOf(this.#store, change.session);
    this.#after.set(change, looked);
    return looked;
  }

  async #read(id: SessionId): Promise<Beginning | undefined> {
    try {
      await using session = await this.#store.open(id, 'read');
      for await (const { event } of session.events()) {
        if (event.type !== 'session-created') return {};
        const { by, agent } = event;
        return {
          ...(by?.type === 'person' && by.id !== undefined && { by: by.id }),
          model: agent.model.slice(0, MOST_TOLD),
        };
      }
      return undefined;
    } catch (thrown) {
      if (isHitlError(thrown) && thrown.code === 'SESSION_NOT_FOUND') return undefined;
      throw thrown;
    }
  }
}

/** Maximum number of characters of a model name to cache. */
const MOST_TOLD = 300;
