// Invariants:
// F1 A session that is followed is read once for all its readers, and only what is new in it: a reader who begins, waits or
//    leaves costs the others nothing.
// F2 What is kept for readers has a limit. A reader who is behind it reads the rest from the store.
// F3 A follower ends once nobody reads, and its readers with it: nobody waits for news of one that has ended. Whoever comes
//    in that moment reads on with the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  EventTail,
  LiveEvent,
  SessionId,
  SessionStore,
  StoreChange,
  StoredEvent,
} from '../../core/index.js';
import { withoutKept } from '../../core/index.js';
import type { Changes } from '../changes.js';

/** Maximum time between two checks of a session for new events, in milliseconds. */
const LOOK_MS = 5_000;
/** Maximum number of recent events to keep for readers (F2). */
const MOST_KEPT = 64;

interface FollowWorld {
  readonly store: SessionStore;
  readonly changes: Changes;
}

/** The followed sessions, shared by all visitors. */
export class Followers {
  readonly #world: FollowWorld;
  readonly #followed = new Map<SessionId, Follower>();
  #isClosed = false;

  constructor(world: FollowWorld) {
    this.#world = world;
  }

  /**
   * Returns the follower of a session. All readers of the session share it.
   * @throws HitlError SESSION_NOT_FOUND
   */
  async of(id: SessionId): Promise<Pick<Follower, 'events'>> {
    const first = await this.#ready(id);
    return { events: (after, signal) => this.#events(id, first, after, signal) };
  }

  /** Stops all followers. */
  close(): void {
    this.#isClosed = true;
    for (const follower of this.#followed.values()) follower.close();
  }

  async #ready(id: SessionId): Promise<Follower> {
    const known = this.#followed.get(id);
    const follower =
      known?.hasEnded === false
        ? known
        : new Follower(this.#world, id, () => {
            if (this.#followed.get(id) === follower) this.#followed.delete(id);
          });
    this.#followed.set(id, follower);
    await follower.ready;
    return follower;
  }

  async *#events(
    id: SessionId,
    first: Follower,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<KeptEvent, void, undefined> {
    let last = after;
    for (let follower = first; ; follower = await this.#ready(id)) {
      for await (const event of follower.events(last, signal)) {
        last = event.seq;
        yield event;
      }
      if (signal.aborted || this.#isClosed) return; // F3
    }
  }
}

type KeptEvent = LiveEvent & { readonly seq: number };

/** Reads a session's events while it has readers, and for a short time after, in case readers reconnect. */
export class Follower {
  /** Resolves after the first read. @throws HitlError SESSION_NOT_FOUND */
  readonly ready: Promise<void>;
  readonly #store: SessionStore;
  readonly #id: SessionId;
  readonly #tail: EventTail;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<() => void>();
  #kept: readonly KeptEvent[] = [];
  #newest = 0;
  #readers = 0;
  #failure: { readonly thrown: unknown } | undefined;

  /** @param ended called when there are no more readers, or when the session cannot be read */
  constructor({ store, changes }: FollowWorld, id: SessionId, ended: () => void) {
    this.#store = store;
    this.#id = id;
    this.#tail = store.tail?.(id) ?? openedTail(store, id);
    this.ready = this.#look();
    this.ready.catch(() => undefined); // told to whoever waits for it
    void this.#follow(changes).finally(ended);
  }

  /**
   * Yields the events after the given number, then new events, until the signal aborts or the follower ends.
   * Private tool data is omitted.
   */
  async *events(after: number, signal: AbortSignal): AsyncGenerator<KeptEvent, void, undefined> {
    let last = after;
    this.#readers += 1;
    try {
      while (!signal.aborted) {
        if (this.#failure !== undefined) throw this.#failure.thrown;
        const isNew = last < this.#newest;
        if (!isNew && this.hasEnded) return; // F3
        if (!isNew) {
          await this.#news(signal);
          continue;
        }
        for await (const event of this.#behind(last)) {
          last = event.seq;
          yield event;
        }
      }
    } finally {
      this.#readers -= 1;
    }
  }

  /** Whether the follower has stopped reading. */
  get hasEnded(): boolean {
    return this.#stop.signal.aborted;
  }

  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  #behind(last: number): AsyncIterable<KeptEvent> | Iterable<KeptEvent> {
    const [first] = this.#kept;
    return first !== undefined && first.seq <= last + 1
      ? this.#kept.filter(({ seq }) => seq > last)
      : eventsBehind(this.#store, this.#id, last); // F2
  }

  /** Waits until there are new events or the signal aborts. */
  async #news(signal: AbortSignal): Promise<void> {
    await new Promise<void>((resolve) => {
      const heard = (): void => {
        signal.removeEventListener('abort', heard);
        this.#waiting.delete(heard);
        resolve();
      };
      signal.addEventListener('abort', heard);
      this.#waiting.add(heard);
    });
  }

  #wake(): void {
    for (const heard of this.#waiting) heard();
  }

  async #follow(changes: Changes): Promise<void> {
    let hint = new AbortController(); // what happens next in the session aborts it
    const tell = (): void => {
      hint.abort();
      hint = new AbortController();
    };
    const { signal } = this.#stop;
    signal.addEventListener('abort', tell, { once: true });
    void listen(changes.from(signal), this.#id, tell);
    try {
      let { signal: happened } = hint;
      await this.ready;
      for (;;) {
        await sleep(LOOK_MS, undefined, { signal: happened, ref: false }).catch(() => undefined); // it is over sooner
        if (signal.aborted || this.#readers === 0) return;
        happened = hint.signal;
        await this.#look();
      }
    } catch (thrown) {
      this.#failure = { thrown };
    } finally {
      this.close();
    }
  }

  async #look(): Promise<void> {
    const found = (await this.#tail.next()).map((stored) => keptEvent(this.#id, stored));
    const last = found.at(-1);
    if (last === undefined) return;
    this.#kept = [...this.#kept, ...found.slice(-MOST_KEPT)].slice(-MOST_KEPT);
    this.#newest = last.seq;
    this.#wake();
  }
}

async function listen(changes: AsyncIterable<StoreChange>, id: SessionId, tell: () => void): Promise<void> {
  for await (const { session } of changes) if (session === id) tell();
}

/**
 * Creates a reader for a store without `tail`. Each call returns the session's events since the previous
 * call.
 */
function openedTail(store: SessionStore, id: SessionId): EventTail {
  let last = 0;
  return {
    next: async () => {
      const found: StoredEvent[] = [];
      await using session = await store.open(id, 'read');
      for await (const stored of session.events()) if (stored.seq > last) found.push(stored);
      last = found.at(-1)?.seq ?? last;
      return found;
    },
  };
}

function keptEvent(id: SessionId, { seq, at, event }: StoredEvent): KeptEvent {
  const shown =
    event.type === 'interrupt-raised' || event.type === 'interrupt-escalated'
      ? { ...event, interrupt: withoutKept(event.interrupt) }
      : event;
  return { session: id, seq, at, ...shown };
}

async function* eventsBehind(
  store: SessionStore,
  id: SessionId,
  after: number,
): AsyncGenerator<KeptEvent, void, undefined> {
  await using session = await store.open(id, 'read');
  for await (const stored of session.events()) if (stored.seq > after) yield keptEvent(id, stored);
}
