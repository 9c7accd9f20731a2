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

/** A question's current state: open, or answered. */
export interface SeenQuestion {
  readonly state: RunState;
  readonly interrupt?: Interrupt;
  readonly resolved?: ResolvedInterrupt;
}

/** A session's current state. */
export interface SeenSession {
  readonly id: SessionId;
  readonly state: RunState;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The number of its last event. */
  readonly version: number;
}

/** What of a session is in no event: whether a process has it, and the messages that wait for one. */
export interface SeenDelivery {
  readonly isWritten: boolean;
  readonly queue: MessagePage;
}

/** The messages that are shown of a queue. */
const QUEUED = 10;

/** What one visitor sees of a store, and does in it. */
export class Sight {
  readonly #world: ServerWorld;
  readonly visitor: Visitor;

  constructor(world: ServerWorld, visitor: Visitor) {
    this.#world = world;
    this.visitor = visitor;
  }

  /** The open questions that they see, the oldest first. @throws HitlError BAD_INPUT for a place that is none */
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

  /** A question as its session allows: where that is not visible, only its title is told of it (Q1). */
  async #shown(item: WaitingItem): Promise<WaitingItem> {
    if (item.folder === undefined || (await this.sees(item.session))) return item;
    const { folder: _hidden, ...shown } = item;
    return shown;
  }

  /** Returns visible sessions, newest first. @throws HitlError BAD_INPUT for an invalid cursor */
  sessions({ isWanted, ...query }: Listing): Promise<Listed<SessionSummary>> {
    const isSeen = async (session: SessionSummary): Promise<boolean> =>
      (this.#seesAll || (await this.#began(session.id))) && (isWanted === undefined || isWanted(session));
    const seesEach = this.#seesAll && isWanted === undefined;
    return listSessions(this.#world.store, query, seesEach ? undefined : isSeen);
  }

  /** Returns a session. @throws HitlError SESSION_NOT_FOUND, also if it is not visible (Q2) */
  async session(id: SessionId): Promise<SeenSession> {
    if (!(await this.sees(id))) throw noSession();
    await using session = await this.#world.store.open(id, 'read');
    const { state, createdAt, updatedAt, version } = session;
    return { id, state, createdAt, updatedAt, version };
  }

  /** What is in no event of a session. @throws HitlError SESSION_NOT_FOUND, also where it is not theirs to see (Q2) */
  async delivery(id: SessionId): Promise<SeenDelivery> {
    if (!(await this.sees(id))) throw noSession();
    const { store } = this.#world;
    const queue = await store.mail(id).list({ pageSize: QUEUED });
    return { isWritten: await store.isWritten(id), queue };
  }

  /** How a session began; nothing where they do not see it (Q2). */
  async beginning(id: SessionId): Promise<Beginning | undefined> {
    return (await this.sees(id)) ? this.#world.looks.beginning(id) : undefined;
  }

  /** Whether they may see the whole session. */
  async sees(id: SessionId): Promise<boolean> {
    return this.#seesAll || (await this.#began(id));
  }

  /** Whether they began a session. The user of the link alone has no proven name, and is the only one there. */
  async asked(id: SessionId): Promise<boolean> {
    return this.visitor.identity === undefined ? this.sees(id) : this.#began(id);
  }

  /** Returns a session's question; undefined if it is not visible. */
  async question(session: SessionId, id: string): Promise<SeenQuestion | undefined> {
    const state = await stateOf(this.#world.store, session);
    if (state === undefined) return undefined;
    const interrupt = openInterrupt(state, id);
    const resolved = interrupt ? undefined : state.resolved.findLast((one) => one.interrupt.id === id);
    const shown = interrupt ?? resolved?.interrupt;
    if (shown === undefined || !(this.#isAsked(shown) || (await this.sees(session)))) return undefined;
    return { state, ...(interrupt && { interrupt }), ...(resolved && { resolved }) };
  }

  /** The open questions that they may see in a session. */
  async open(session: SessionId, state: RunState): Promise<readonly Interrupt[]> {
    const open = openInterrupts(state);
    return (await this.sees(session)) ? open : open.filter((interrupt) => this.#isAsked(interrupt));
  }

  /** Yields a session's events, then new ones. @throws HitlError SESSION_NOT_FOUND */
  async follow(
    id: SessionId,
    after: number,
  ): Promise<(signal: AbortSignal) => AsyncGenerator<LiveEvent, void, undefined>> {
    if (!(await this.sees(id))) throw noSession();
    const follower = await this.#world.followers.of(id); // what cannot be read is no stream
    return (signal) => this.#whileIn(follower.events(after, signal));
  }

  /** Yields changes of visible sessions from now on. */
  async *changes(signal: AbortSignal): AsyncGenerator<StoreChange, void, undefined> {
    for await (const change of this.#whileIn(this.#world.changes.from(signal)))
      if (this.#seesAll || (await this.#seesSome(change))) yield change;
  }

  /** Answers a question (Q3). @throws HitlError NOT_ELIGIBLE for a role that cannot answer */
  async answer(given: Omit<GivenAnswer, 'by'>, via: Person['via']): Promise<TakenAnswer> {
    if (!may(this.visitor, 'answer')) throw lacking(this.visitor, 'answer');
    if (!this.#seesAll && (await this.question(given.session, given.interrupt)) === undefined)
      return { type: 'not-found', why: 'question not found' };
    return takeAnswer(this.#world, { ...given, by: actorOf(this.visitor, via) });
  }

  /**
   * Sends a message to a session of which they see something.
   * @throws HitlError SESSION_NOT_FOUND, BAD_INPUT for a text that does not fit and a workflow that is done, QUEUE_FULL
   */
  async say(session: SessionId, draft: Omit<MessageDraft, 'from'>): Promise<SentMessage> {
    const { store, patience } = this.#world;
    const state = await stateOf(store, session);
    if (state === undefined || !((await this.sees(session)) || (await this.open(session, state)).length > 0))
      throw noSession();
    checkTakesMessages(session, state);
    return store.mail(session).send({ ...draft, from: actorOf(this.visitor, 'web') }, {}, patience());
  }

  /** Yields items while they are signed in. */
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
   * Whether a question is for them: the core decides, by who may reject it, which includes requesters. The
   * core also decides whether an answer is accepted.
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

/** The open questions that are asked for; with `all` also timers and events, for which no person is asked. */
type Waiting = Part &
  Omit<WaitingQuery, keyof Part> & {
    readonly all?: boolean;
    /** True for an item of the list; it is asked of those alone that they see. Default: all. */
    readonly isWanted?: (item: WaitingItem) => Promise<boolean> | boolean;
  };

/** Requested sessions. */
type Listing = Part &
  Omit<SessionQuery, 'before' | 'limit'> & {
    /** Whether a visible session belongs in the list. Default: all do. */
    readonly isWanted?: (session: SessionSummary) => boolean;
  };

/** Maximum number of items that a filter examines for one part of a list: each may open its session. */
const MOST_FILTERED = 500;

/** The number of latest answered questions that let a visitor learn of a change in a session. */
const MOST_ANSWERED = 20;

function noSession(): HitlError {
  return new HitlError('SESSION_NOT_FOUND', 'session not found');
}

/** The refusal for a missing role. */
export function lacking({ name }: Pick<Visitor, 'name'>, role: string): HitlError {
  return new HitlError('NOT_ELIGIBLE', `${name} does not have the role ${role}`, {
    hint: 'the administrator of the server assigns roles',
  });
}

/** Maximum number of sessions whose start is remembered. */
const MOST_KNOWN = 50_000;

/** What every visitor asks of sessions: how one began, by its first event, and how one is after a change. */
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

/** The characters that are remembered of a model. */
const MOST_TOLD = 300;
