import type { SessionStore, StoreChange } from '../core/index.js';

/** Hears of changes, one after the other. */
type Listener = (change: StoreChange) => void;

/** The changes of a store, for any number of readers; the store is watched while there is one. */
export class Changes {
  readonly #store: SessionStore;
  readonly #listeners = new Set<Listener>();
  #watching: AbortController | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
  }

  /** Tells readers at once of what this server did itself: the watch would find it a little later. */
  tell(change: StoreChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Gives what happens from now on, until the signal aborts. */
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
        const changes = told;
        told = [];
        yield* changes;
        if (changes.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#watching?.abort();
    }
  }

  /** Watches the store; where that fails it begins anew with the next reader. */
  #watch(): void {
    if (this.#watching?.signal.aborted === false) return;
    const watching = new AbortController();
    this.#watching = watching;
    void this.#follow(watching);
  }

  async #follow(watching: AbortController): Promise<void> {
    try {
      for await (const change of this.#store.watch(watching.signal)) this.tell(change);
    } catch {
      // the store is away: readers look again by themselves
    } finally {
      watching.abort();
    }
  }
}

/** An iterable that stops its work at once when its reader leaves, and not only with the next item. */
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
