import type { AppendListener, RunState, StoredEvent } from '../../src/core/index.js';

/** The events that were appended, once they are there. */
interface Appended {
  readonly events: readonly StoredEvent[];
  readonly state: RunState;
}

/** The listeners of appended events: they hear all of them, in the order of the journal. */
export class AppendListeners {
  readonly #listeners = new Set<AppendListener>();
  #last: Promise<void> = Promise.resolve();

  /** @returns ends it */
  add(listener: AppendListener): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Resolves when events are durable and told of, behind those before them. Rejects where they could not be kept. */
  told(durable: Promise<void>, appended: () => Appended): Promise<void> {
    if (this.#listeners.size === 0) return durable;
    const before = this.#last;
    const told = durable.then(async () => {
      await before;
      const { events, state } = appended();
      for (const listener of this.#listeners) listener(events, state);
    });
    this.#last = told.catch(() => undefined); // whoever appended it is told
    return told;
  }
}
