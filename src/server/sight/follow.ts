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
  let hint = new AbortController(); // what happens next in the session aborts it
  const tell = (): void => {
    hint.abort();
    hint = new AbortController();
  };
  signal.addEventListener('abort', tell, { once: true });
  void listen(changes.from(stop.signal), id, tell);
  let last = after;
  try {
    while (!signal.aborted) {
      const { signal: happened } = hint;
      for await (const event of eventsBehind(store, id, last)) {
        last = event.seq;
        yield event;
      }
      await sleep(LOOK_MS, undefined, { signal: happened, ref: false }).catch(() => undefined); // it is over sooner
    }
  } finally {
    stop.abort();
    signal.removeEventListener('abort', tell);
  }
}

async function listen(changes: AsyncIterable<StoreChange>, id: SessionId, tell: () => void): Promise<void> {
  for await (const { session } of changes) if (session === id) tell();
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
