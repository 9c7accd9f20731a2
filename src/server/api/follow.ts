import { setTimeout as sleep } from 'node:timers/promises';
import type { LiveEvent, SessionId, SessionStore, StoreChange } from '../../core/index.js';
import { withoutKept } from '../../core/index.js';
import type { Changes } from '../changes.js';

/** The time after which a session is looked at again even where nothing was told, in milliseconds. */
const LOOK_MS = 5_000;

/**
 * The events of a session behind one that is known, and then those that come, whoever writes them, until the signal
 * aborts. What a body keeps for itself is left out.
 * @throws HitlError SESSION_NOT_FOUND
 */
export async function* followSession(
  { store, changes }: { readonly store: SessionStore; readonly changes: Changes },
  id: SessionId,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LiveEvent, void, undefined> {
  const stop = new AbortController();
  const hints = new Hints(changes.from(stop.signal));
  let last = after;
  try {
    while (!signal.aborted) {
      for await (const event of eventsBehind(store, id, last)) {
        last = event.seq;
        yield event;
      }
      await hints.about(id, signal);
    }
  } finally {
    stop.abort();
  }
}

type KeptEvent = LiveEvent & { readonly seq: number };

async function* eventsBehind(
  store: SessionStore,
  id: SessionId,
  after: number,
): AsyncGenerator<KeptEvent, void, undefined> {
  await using session = await store.open(id, 'read');
  for await (const { seq, at, event } of session.events()) {
    if (seq <= after) continue;
    const shown =
      event.type === 'interrupt-raised' || event.type === 'interrupt-escalated'
        ? { ...event, interrupt: withoutKept(event.interrupt) }
        : event;
    yield { session: id, seq, at, ...shown };
  }
}

/** Hints that are waited for one at a time. */
class Hints {
  readonly #told: AsyncGenerator<StoreChange, void>;
  #next: Promise<IteratorResult<StoreChange, void>>;

  constructor(told: AsyncGenerator<StoreChange, void>) {
    this.#told = told;
    this.#next = told.next();
  }

  /** Resolves with the next hint about a session, and at the latest when it should be looked at anyway. */
  async about(id: SessionId, signal: AbortSignal): Promise<void> {
    for (;;) {
      const looked = sleep(LOOK_MS, undefined, { signal, ref: false }).catch(() => undefined); // the reader is gone
      const change = await Promise.race([this.#next, looked]);
      if (change === undefined) return;
      this.#next = this.#told.next();
      if (change.done === true || change.value.session === id) return;
    }
  }
}
