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
import { isHitlError, messageOf, sessionTitle } from '../src/core/index.js';
import { dueOf } from './format/summary.js';
import { needsOf } from './format/needs.js';
import { MANY_ATTEMPTS, pauseMs } from './attempt-pause.js';

/** Interval at which the list is polled, in milliseconds. */
const POLL_MS = 1_000;
/** Interval, in milliseconds, after which an unchanged session with queued input is offered again. */
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

/** Returns the worklist that the store provides, or one that is derived from the list of sessions. */
export function worklistOf(store: SessionStore, clock: Clock): Worklist {
  return store.capabilities.worklist ?? new ListedWorklist(store, clock);
}

/**
 * Finds due sessions in the list of sessions, for a store on one machine. The list also shows queued input
 * that no process has used. Only this process knows which sessions failed. Because the list does not show who
 * stopped a session, each changed session is read once.
 */
class ListedWorklist implements Worklist {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #postponed = new Map<SessionId, Postponed>();
  readonly #resting = new Map<SessionId, string>();
  /**
   * Sessions offered because of queued input, with the time of their last change and the time of the offer.
   */
  readonly #given = new Map<SessionId, { readonly updatedAt: string; readonly at: number }>();
  /** The requirements of skipped sessions, with the time of each session's last change. */
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

  /** Forgets sessions that no longer exist, so that memory use does not grow in a long-running worker. */
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
    this.#later(id, sessionTitle(state), message);
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
