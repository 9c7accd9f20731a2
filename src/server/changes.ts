import type { Clock, SessionStore, StoreChange } from '../core/index.js';

/** Called with each change, in order. */
type Listener = (change: StoreChange) => void;

/** Pause after a store failure, in milliseconds. */
const AWAY_MS = 10_000;

/**
 * Distributes changes in a store to any number of readers. The store is watched only while there are readers.
 */
export class Changes {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #listeners = new Set<Listener>();
  #watching: AbortController | undefined;

  constructor(store: SessionStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reports a change made by this server immediately, without waiting for the watch to find it. */
  tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Yields changes from now until the signal aborts. */
  async *from(signal: AbortSignal): AsyncGenerator<StoreChange, void> {
    let told: StoreChange[] = [];
    let wake = (): void => undefined;
    const listener: Listener = (change) => {
      told.push(change);
      wake();
    };
    const stop = (): void => {
      wake();
    };
    this.#listeners.add(listener);
    signal.addEventListener('abort', stop, { once: true });
    this.#watch();
    try {
      while (!signal.aborted) {
        if (told.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve; // at once: what is told between the look and this would wake nobody
          });
        const changes = told;
        told = [];
        yield* changes;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#watching?.abort();
    }
  }

  /** Watches the store while there are readers. */
  #watch(): void {
    if (this.#watching?.signal.aborted === false) return;
    const watching = new AbortController();
    this.#watching = watching;
    void this.#follow(watching.signal);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const change of this.#store.watch(signal)) this.tell(change);
      } catch {
        // the store is unreachable: it is watched again, and what happened meanwhile is found by who looks
      }
      await this.#clock.sleep(AWAY_MS, signal).catch(() => undefined);
    }
  }
}

/** Wraps a generator so that its work stops as soon as the reader leaves, not only at the next item. */
export function leaving<Item>(
  work: (signal: AbortSignal) => AsyncGenerator<Item, void, undefined>,
): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]: () => {
      const gone = new AbortController();
      const items = work(gone.signal);
      return {
        next: () => items.next(),
        return: () => {
          gone.abort();
          return items.return();
        },
      };
    },
  };
}
