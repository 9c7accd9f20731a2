import type { Chat } from '../../library/index.js';

/** A place in which a session runs; it is given back when it is disposed of. */
export interface Slot extends Disposable {
  /** Names the chat that runs there, so that it is closed with the server; at once where that has closed. */
  hold(chat: Chat): void;
}

/** The places of a server in which sessions run at the same time. */
export class Slots {
  readonly #freed: () => void;
  readonly #taken = new Map<Slot, Chat | undefined>();
  #free: number;
  /** Resolves once every place was given back; absent while places are given. */
  #drained: Promise<void> | undefined;
  #isClosed = false;
  #emptied = (): void => undefined;

  /** Tells, too, each time that one is given back. */
  constructor(most: number, freed: () => void) {
    this.#free = most;
    this.#freed = freed;
  }

  /** Takes a place; none where all are taken, or no more are given. */
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

  /** Gives no more places. @returns once every place was given back */
  drain(): Promise<void> {
    this.#drained ??= new Promise((resolve) => {
      this.#emptied = resolve;
      if (this.#taken.size === 0) resolve();
    });
    return this.#drained;
  }

  /** Closes what runs, and waits until every place was given back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const empty = this.drain();
    await Promise.allSettled(
      [...this.#taken.values()].flatMap((chat) => (chat === undefined ? [] : [chat.close()])),
    );
    await empty;
  }
}
