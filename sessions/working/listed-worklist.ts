import type {
  AbandonedSession,
  ClaimOptions,
  Clock,
  ErrorRecord,
  Session,
  SessionId,
  SessionStore,
  SessionSummary,
  Worklist,
} from '../../src/core/index.js';
import { isHitlError, messageOf } from '../../src/core/index.js';
import { dueOf } from '../format/index.js';
import { MOST_ATTEMPTS, pauseMs } from './attempts.js';

/** The time between two looks at the list, in milliseconds. */
const POLL_MS = 1_000;

function none(): ReadonlySet<SessionId> {
  return new Set();
}

interface Postponed {
  readonly attempts: number;
  readonly until: number;
  readonly why: string;
}

/** The worklist of a store: its own, or one that is made of its list. */
export function worklistOf(store: SessionStore, clock: Clock): Worklist {
  return store.capabilities.worklist ?? new ListedWorklist(store, clock);
}

/**
 * Finds what is to be done by looking at the list: for a store of one machine. What failed is known to this process
 * alone. The list says of a session that it was stopped, and not by whom: that is looked up once for each change.
 */
class ListedWorklist implements Worklist {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #postponed = new Map<SessionId, Postponed>();
  readonly #resting = new Map<SessionId, string>();
  readonly #titles = new Map<SessionId, string>();

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  async claim(signal: AbortSignal, { without = none }: ClaimOptions = {}): Promise<Session | undefined> {
    while (!signal.aborted) {
      const session = await this.#found(without());
      if (session !== undefined) return session;
      await this.#clock.sleep(POLL_MS, signal).catch(() => undefined);
    }
    return undefined;
  }

  async #found(left: ReadonlySet<SessionId>): Promise<Session | undefined> {
    for await (const summary of this.#store.list()) {
      if (left.has(summary.id) || !this.#mayBeDue(summary)) continue;
      const session = await this.#opened(summary);
      if (session !== undefined) return session;
    }
    return undefined;
  }

  #mayBeDue({ id, status, until, updatedAt }: SessionSummary): boolean {
    const { attempts, until: later } = this.#postponed.get(id) ?? { attempts: 0, until: 0 };
    if (attempts >= MOST_ATTEMPTS || later > this.#clock.now()) return false;
    if (until !== undefined && Date.parse(until) <= this.#clock.now()) return true;
    return status === 'interrupted' && this.#resting.get(id) !== updatedAt;
  }

  async #opened({ id, title, updatedAt }: SessionSummary): Promise<Session | undefined> {
    try {
      const session = await this.#store.open(id, 'write');
      const due = dueOf(session.state);
      this.#titles.set(id, title);
      if (due === 'now' || (due !== undefined && due <= this.#clock.now())) return session;
      await session[Symbol.asyncDispose]();
      this.#resting.set(id, updatedAt);
    } catch (thrown) {
      if (!isHitlError(thrown)) throw thrown;
      if (thrown.code !== 'SESSION_LOCKED' && thrown.code !== 'SESSION_NOT_FOUND')
        this.#later(id, messageOf(thrown));
    }
    return undefined;
  }

  async rest({ id, updatedAt }: Session): Promise<boolean> {
    this.#postponed.delete(id);
    this.#resting.set(id, updatedAt);
    return true;
  }

  async postpone({ id }: Session, { message }: ErrorRecord): Promise<void> {
    this.#later(id, message);
  }

  #later(id: SessionId, why: string): void {
    const attempts = 1 + (this.#postponed.get(id)?.attempts ?? 0);
    this.#postponed.set(id, { attempts, why, until: this.#clock.now() + pauseMs(attempts) });
  }

  async *abandoned(): AsyncGenerator<AbandonedSession> {
    for (const [session, { attempts, why }] of this.#postponed)
      if (attempts >= MOST_ATTEMPTS) yield { session, title: this.#titles.get(session) ?? '', attempts, why };
  }
}
