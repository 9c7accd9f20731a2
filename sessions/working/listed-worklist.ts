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
} from '../../src/core/index.js';
import { isHitlError, messageOf } from '../../src/core/index.js';
import { dueOf, needsOf, titleOf } from '../format/index.js';
import { MANY_ATTEMPTS, pauseMs } from './attempts.js';

/** The time between two looks at the list, in milliseconds. */
const POLL_MS = 1_000;

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
 * Finds what is to be done by looking at the list: for a store of one machine. What failed, and what was left while it
 * was at work, is known to this process alone: whoever leaves something where nobody writes puts it into the journal. The
 * list says of a session that it was stopped, and not by whom: that is looked up once for each change.
 */
class ListedWorklist implements Worklist {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #postponed = new Map<SessionId, Postponed>();
  readonly #resting = new Map<SessionId, string>();
  /** Sessions in which something was left that their worker did not take. */
  readonly #woken = new Set<SessionId>();
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
    for (const known of [this.#postponed, this.#resting, this.#woken, this.#left])
      for (const id of known.keys()) if (!there.has(id)) known.delete(id);
  }

  #mayBeDue({ id, status, until, updatedAt }: SessionSummary, { sessions, needs }: Lacking): boolean {
    const left = this.#left.get(id);
    const isLacking = sessions.has(id) || (left?.updatedAt === updatedAt && needs.has(left.needs));
    if (this.#woken.has(id) && !isLacking) return true;
    if ((this.#postponed.get(id)?.until ?? 0) > this.#clock.now()) return false;
    if (until !== undefined && Date.parse(until) <= this.#clock.now()) return true;
    if (isLacking) return false;
    return status === 'interrupted' && this.#resting.get(id) !== updatedAt;
  }

  async #opened({ id, title, updatedAt }: SessionSummary): Promise<Session | undefined> {
    try {
      const session = await this.#store.open(id, 'write');
      const due = dueOf(session.state);
      if (this.#woken.delete(id) || due === 'now' || (due !== undefined && due <= this.#clock.now()))
        return session;
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
    if ((await session.answers().take()) === undefined) return true;
    this.#woken.add(id);
    return false;
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
