import type {
  ClaimOptions,
  Clock,
  ErrorRecord,
  FailingSession,
  Lacking,
  Session,
  SessionId,
  SessionStore,
  SessionSummary,
  Worklist,
} from '../src/core/index.js';
import { isHitlError, messageOf } from '../src/core/index.js';
import { dueOf, titleOf } from './format/summary.js';
import { needsOf } from './format/needs.js';
import { MANY_ATTEMPTS, pauseMs } from './attempt-pause.js';

/** The time between two looks at the list, in milliseconds. */
const POLL_MS = 1_000;
/** The time after which a session is given again in which something was left, where nothing was written since. */
const AGAIN_MS = 5_000;

function none(): ReadonlySet<SessionId> {
  return new Set();
}

function nothing(): Lacking {
  return { sessions: new Set(), needs: new Set() };
}

interface Postponed {
  readonly title: string;
  readonly attempts: number;
  readonly until: number;
  readonly why: string;
}

/** The worklist of a store: its own, or one that is made of its list. */
export function worklistOf(store: SessionStore, clock: Clock): Worklist {
  return store.capabilities.worklist ?? new ListedWorklist(store, clock);
}

/**
 * Finds what is to be done by looking at the list: for a store of one machine. The list says in which sessions something
 * was left that nobody took up; what failed is known to this process alone. Of a session that was stopped it does not say
 * by whom: that is looked up once for each change.
 */
class ListedWorklist implements Worklist {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #postponed = new Map<SessionId, Postponed>();
  readonly #resting = new Map<SessionId, string>();
  /** Sessions that were given because something was left in them, and how they were. */
  readonly #given = new Map<SessionId, { readonly updatedAt: string; readonly at: number }>();
  /** What sessions need that were left, as of a change. */
  readonly #left = new Map<SessionId, { readonly needs: string; readonly updatedAt: string }>();

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async claim(
    signal: AbortSignal,
    { without = none, lacking = nothing, looked }: ClaimOptions = {},
  ): Promise<Session | undefined> {
    while (!signal.aborted) {
      const session = await this.#found(without(), lacking());
      looked?.();
      if (session !== undefined) return session;
      await this.#clock.sleep(POLL_MS, signal).catch(() => undefined);
    }
    return undefined;
  }

  async #found(left: ReadonlySet<SessionId>, lacking: Lacking): Promise<Session | undefined> {
    const there = new Set<SessionId>();
    for await (const summary of this.#store.list()) {
      there.add(summary.id);
      if (left.has(summary.id) || !this.#mayBeDue(summary, lacking)) continue;
      const session = await this.#opened(summary);
      if (session !== undefined) return session;
    }
    this.#forgetAllBut(there);
    return undefined;
  }

  /** What is gone is not remembered: a worker lives for long. */
  #forgetAllBut(there: ReadonlySet<SessionId>): void {
    for (const known of [this.#postponed, this.#resting, this.#given, this.#left])
      for (const id of known.keys()) if (!there.has(id)) known.delete(id);
  }

  #mayBeDue({ id, status, until, updatedAt, unread }: SessionSummary, { sessions, needs }: Lacking): boolean {
    const left = this.#left.get(id);
    const isLacking = sessions.has(id) || (left?.updatedAt === updatedAt && needs.has(left.needs));
    if ((this.#postponed.get(id)?.until ?? 0) > this.#clock.now()) return false;
    if (until !== undefined && Date.parse(until) <= this.#clock.now()) return true;
    if (isLacking) return false;
    if (unread === true) return !this.#isJustGiven(id, updatedAt);
    return status === 'interrupted' && this.#resting.get(id) !== updatedAt;
  }

  #isJustGiven(id: SessionId, updatedAt: string): boolean {
    const given = this.#given.get(id);
    return given?.updatedAt === updatedAt && given.at + AGAIN_MS > this.#clock.now();
  }

  async #opened({ id, title, updatedAt, unread }: SessionSummary): Promise<Session | undefined> {
    try {
      const session = await this.#store.open(id, 'write');
      const due = dueOf(session.state);
      if (unread === true) this.#given.set(id, { updatedAt, at: this.#clock.now() });
      if (unread === true || due === 'now' || (due !== undefined && due <= this.#clock.now())) return session;
      await session[Symbol.asyncDispose]();
      this.#resting.set(id, updatedAt);
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      if (thrown.code !== 'SESSION_LOCKED' && thrown.code !== 'SESSION_NOT_FOUND')
        this.#later(id, title, messageOf(thrown));
    }
    return undefined;
  }

  async rest(session: Session): Promise<boolean> {
    const { id, updatedAt } = session;
    this.#postponed.delete(id);
    this.#resting.set(id, updatedAt);
    return (await session.answers().take()) === undefined; // what is left is found in the list
  }

  async postpone({ id, state }: Session, { message }: ErrorRecord): Promise<void> {
    this.#later(id, titleOf(state), message);
  }

  async leave({ id, updatedAt, state }: Session): Promise<void> {
    const needs = needsOf(state);
    if (needs !== undefined) this.#left.set(id, { needs, updatedAt });
  }

  #later(id: SessionId, title: string, why: string): void {
    const attempts = 1 + (this.#postponed.get(id)?.attempts ?? 0);
    const until = this.#clock.now() + pauseMs(attempts);
    this.#postponed.set(id, { title, attempts, why, until });
  }

  async *failing(): AsyncGenerator<FailingSession> {
    const all = [...this.#postponed].sort(([, one], [, other]) => one.until - other.until);
    for (const [session, { title, attempts, why, until }] of all)
      if (attempts >= MANY_ATTEMPTS) yield { session, title, attempts, again: until, why };
  }
}
