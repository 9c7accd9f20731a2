import type { Chat } from '../../library/index.js';

/** A running session's slot, released on disposal. */
export interface Slot extends Disposable {
  /** Registers the slot's chat, to be closed with the server; at once if that has closed. */
  hold(chat: Chat): void;
}

/** The slots for sessions that run at the same time. */
export class Slots {
  readonly #freed: () => void;
  readonly #taken = new Map<Slot, Chat | undefined>();
  #free: number;
  /** Resolves once every slot was released; absent while slots are available. */
  #drained: Promise<void> | undefined;
  #isClosed = false;
  #emptied = (): void => undefined;

  /** Calls `freed` whenever a slot is released. */
  constructor(most: number, freed: () => void) {
    this.#free = most;
    this.#freed = freed;
  }

  /** Takes a slot; undefined if all are taken, or after draining. */
  take(): Slot | undefined {
    if (this.#free === 0 || this.#drained !== undefined) return undefined;
    this.#free -= 1;
    const slot: Slot = {
      hold: (chat) => {
        this.#taken.set(slot, chat);
        if (this.#isClosed) chat.close().catch(() => undefined); // whoever uses it hears of it
      },
      [Symbol.dispose]: () => {
        if (!this.#taken.delete(slot)) return;
        this.#free += 1;
        if (this.#taken.size === 0) this.#emptied();
        this.#freed();
      },
    };
    this.#taken.set(slot, undefined);
    return slot;
  }

  /** Gives no more slots. @returns once every slot was released */
  drain(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      this.#emptied = resolve;
      if (this.#taken.size === 0) resolve();
    });
    return this.#drained;
  }

  /** Closes running sessions, and waits until every slot was released. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const empty = this.drain();
    await Promise.allSettled(
      [...this.#taken.values()].flatMap((chat) => (chat === undefined ? [] : [chat.close()])),
    );
    await empty;
  }
}
